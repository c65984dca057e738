//! What the chart ships: the custom resource, and exactly its rights for the test's users.

use std::path::Path;

use serde_json::{Value, json};

use crate::command::User;
use crate::lab::Lab;

/// The ClusterRoles of the chart, whose names end in `planner` and `applier`.
pub fn cluster_roles() -> Vec<Value> {
    let mut roles = Vec::new();
    for text in chart("templates") {
        let documents = text
            .split("\n---")
            .filter(|text| text.contains("kind: ClusterRole\n"));
        roles.extend(documents.map(rendered));
    }
    roles
}

/// The Role of the chart by which controllers hold a Lease.
fn leader_role() -> Value {
    let texts = chart("templates");
    let mut documents = texts.iter().flat_map(|text| text.split("\n---"));
    let role = documents.find(|text| text.contains("kind: Role\n"));
    rendered(role.expect("the chart has a role for the lease"))
}

/// The files of a folder of the chart.
fn chart(folder: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/chart");
    let files = std::fs::read_dir(root.join(folder)).unwrap();
    files
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect()
}

/// The document without the template's lines; what is left must be a role with rules.
fn rendered(template: &str) -> Value {
    let plain = template
        .lines()
        .filter(|line| !line.trim_start().starts_with("{{"));
    let text: String = plain.map(|line| unbraced(line) + "\n").collect();
    let role: Value = serde_saphyr::from_str(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert!(
        role["rules"]
            .as_array()
            .is_some_and(|rules| !rules.is_empty()),
        "{text}"
    );
    role
}

/// `{{ .Release.Name }}-planner` becomes `x-planner`.
fn unbraced(line: &str) -> String {
    let mut pieces = line.split("{{");
    let first = pieces.next().unwrap_or_default().to_string();
    pieces.fold(first, |text, piece| {
        text + "x" + piece.split_once("}}").unwrap().1
    })
}

impl Lab {
    /// Installs what the chart installs and binds each role to its user.
    pub async fn install_chart(&self) {
        for text in chart("crds") {
            let resource: Value = serde_saphyr::from_str(&text).unwrap();
            let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
            self.create(path, &resource).await;
        }
        let collection = "/apis/rbac.authorization.k8s.io/v1";
        let roles = cluster_roles();
        for (user, group) in [("planner", "planners"), ("applier", "appliers")] {
            let mut found = roles.iter().filter(|role| {
                role["metadata"]["name"]
                    .as_str()
                    .is_some_and(|name| name.ends_with(user))
            });
            let role = found
                .next()
                .unwrap_or_else(|| panic!("the chart has no role {user}"));
            let role = json!({"metadata": {"name": user}, "rules": role["rules"]});
            self.create(&format!("{collection}/clusterroles"), &role)
                .await;
            let binding = json!({"metadata": {"name": user},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": user},
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": group}]});
            self.create(&format!("{collection}/clusterrolebindings"), &binding)
                .await;
        }
    }

    /// Lets a user hold Leases of a namespace, by the chart's own rules.
    pub async fn let_lead(&self, user: &str, namespace: &str) {
        let collection = format!("/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}");
        let role = json!({"metadata": {"name": "leader"}, "rules": leader_role()["rules"]});
        self.create(&format!("{collection}/roles"), &role).await;
        let group = "rbac.authorization.k8s.io";
        let binding = json!({"metadata": {"name": "leader"},
            "roleRef": {"apiGroup": group, "kind": "Role", "name": "leader"},
            "subjects": [{"apiGroup": group, "kind": "User", "name": user}]});
        self.create(&format!("{collection}/rolebindings"), &binding)
            .await;
    }

    /// A user who may do what the role of that name allows.
    pub fn user(&self, name: &str) -> User {
        self.user_at(name, &self.plane.server())
    }

    /// The same, calling at another address.
    pub fn user_at(&self, name: &str, server: &str) -> User {
        // A file for each address: who has one keeps calling there.
        let port = server.rsplit(':').next().unwrap_or_default();
        let file = format!("{name}-{port}.kubeconfig");
        let kubeconfig = self.plane.kubeconfig(&file, server, name);
        User {
            kubeconfig,
            folder: self.plane.path(""),
        }
    }
}
