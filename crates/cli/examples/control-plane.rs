//! Runs the control plane of the end-to-end tests until Ctrl-C, for trying things by hand:
//! `scripts/control-plane.sh run DIR`, then `export KUBECONFIG=DIR/kubeconfig`.

#[path = "../tests/e2e/control_plane/mod.rs"]
#[allow(dead_code)] // the tests use more of it
mod control_plane;

use std::path::PathBuf;

use control_plane::ControlPlane;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let folder: PathBuf = std::env::args()
        .nth(1)
        .expect("a folder for the cluster's files")
        .into();
    std::fs::create_dir_all(&folder)?;
    anyhow::ensure!(
        folder.read_dir()?.next().is_none(),
        "{} is not empty",
        folder.display()
    );
    let binaries = ControlPlane::binaries().expect("run scripts/control-plane.sh first");
    let plane = ControlPlane::start(binaries, folder.canonicalize()?).await;
    println!("export KUBECONFIG={}", plane.path("kubeconfig").display());
    eprintln!("running until Ctrl-C; then the folder goes too");
    tokio::signal::ctrl_c().await?;
    drop(plane);
    Ok(())
}
