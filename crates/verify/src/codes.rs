//! What each code means, for `bayplan explain`.

/// (code, title, explanation) of every violation, by code.
pub fn codes() -> &'static [(&'static str, &'static str, &'static str)] {
    CODES
}

const CODES: &[(&str, &str, &str)] = &[
    (
        "V001",
        "a resource of a node is asked for beyond its capacity",
        "The demands of everything on the node add up to more than the node has, \
         less the headroom kept free. With demand by epoch every epoch is added up \
         by itself and the worst is shown; for requests every moment is. \
         Typical causes: the plan was made for other capacities (compare --node, \
         --capacity, --headroom), or demands grew since. Move something away, add a \
         node, or lower the headroom.",
    ),
    (
        "V002",
        "mean plus D deviations exceed the capacity",
        "Demand is random: at the confidence asked for, the node needs the sum of the \
         means plus D times the root of the summed variances (D = 2.3263 at 0.99, \
         3.0902 at 0.999), and that is more than it has. The mean alone may still fit. \
         Typical causes: a plan made at a lower confidence, or new measurements. Move a \
         service with high variance away, or state a lower confidence.",
    ),
    (
        "V003",
        "more replicas of a service beside another than its limit allows",
        "A limit (i, j, a) says: on a node that holds at least one replica of i, at most \
         a replicas of j; 0 forbids them to meet, and i = j caps the replicas of one \
         service on a node. Limits are directed: (i, j) says nothing about (j, i). \
         Move replicas of either service to a node without the other.",
    ),
    (
        "V004",
        "more replicas of a spread set together than allowed",
        "A spread set (anti-affinity) allows at most so many replicas of all its members \
         together on a node, or on all nodes that share the value of a label such as a \
         zone. Spread them wider, or raise the number the set allows.",
    ),
    (
        "V005",
        "a service on a node it may not use",
        "The compatibility of the service (node selectors, affinity, taints, a list of \
         nodes or pools) does not include this node. Move the replicas to a compatible \
         node, or extend the compatibility.",
    ),
    (
        "V006",
        "replicas missing",
        "Fewer replicas of the service are placed than it has. A solver lists what it \
         could not place with the reason: too large for any node, no compatible node, no \
         room, or forbidden by a limit or spread set. Add capacity or loosen the rule \
         named.",
    ),
    (
        "V007",
        "more replicas placed than the service has",
        "The plan places more replicas of the service than its replica count. On arrival \
         this happens when a service was scaled down and the old replicas still run.",
    ),
    (
        "V008",
        "a pinned service was moved",
        "Replicas of a pinned service must stay on the nodes they stand on: none may be \
         stopped there, not even for one wave. Unpin the service or keep it in place.",
    ),
    (
        "V009",
        "more nodes of a pool than there may be",
        "Existing nodes of the pool and those the plan opens are together more than the \
         pool's maximum. Raise the maximum, or use another pool.",
    ),
    (
        "V010",
        "the plan names something the problem does not have",
        "A service, node, pool, application or request of the plan is not part of the \
         problem, or the plan answers another question. What hangs on it is not counted. \
         Typical cause: plan and problem come from different files or different days.",
    ),
    (
        "V011",
        "the load shares of an application do not add up to its load",
        "The instances of the application must serve exactly its load, to the last unit. \
         Less means load that nobody serves; more means the plan was made for another \
         load.",
    ),
    (
        "V012",
        "more than one instance of an application on a node",
        "A node hosts at most one instance of an application; the two should be one with \
         the sum of their loads.",
    ),
    (
        "V013",
        "fewer or more instances than asked for",
        "The application asks for a least (availability) or a most number of instances, \
         counted as different nodes.",
    ),
    (
        "V014",
        "a request admitted twice",
        "A request runs once, on one node. Each copy takes room; its weight counts once.",
    ),
    (
        "V015",
        "too few replicas of a service alive during the moves",
        "After the wave fewer replicas run than the share that must be alive at all \
         times (75 % unless given, rounded up) or than the service's disruption budget \
         asks for. A service that was short before the first wave must not become \
         shorter. Create before deleting, or use smaller waves.",
    ),
    (
        "V016",
        "a wave stops a replica that is not there",
        "At this point of the plan fewer replicas of the service stand on the node than \
         the wave stops. Typical cause: the cluster changed after the plan was made.",
    ),
    (
        "V017",
        "the waves do not end at the plan's placement",
        "Carrying out all waves from the current placement leads elsewhere than the plan \
         says. Typical cause: the cluster changed after the plan was made; plan again.",
    ),
    (
        "V018",
        "the rest cannot carry the load after a loss",
        "After the loss of the node (or of all nodes sharing the label's value) first fit \
         decreasing finds no place for some of its replicas on the other nodes. Pinned \
         replicas are lost with their node. Passing is a proof that the loss is survived; \
         failing is certain only where the text says that a resource is short, otherwise \
         a cleverer arrangement may exist. Keep more headroom, or add a node.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rule;

    #[test]
    fn every_rule_is_explained() {
        let explained: Vec<&str> = codes().iter().map(|entry| entry.0).collect();
        let rules: Vec<&str> = Rule::ALL.iter().map(|rule| rule.code()).collect();
        assert_eq!(explained, rules);
    }
}
