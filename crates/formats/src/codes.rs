//! Every code with its explanation, for `bayplan explain` and the docs.

/// Codes of errors (F) and notes (N): (code, title, explanation).
pub fn codes() -> &'static [(&'static str, &'static str, &'static str)] {
    CODES
}

const CODES: &[(&str, &str, &str)] = &[
    (
        "F001",
        "File cannot be read or written",
        "The operating system refused. Check the path and the permissions; `-` stands for standard input.",
    ),
    (
        "F002",
        "Input too large",
        "The input, after decompression, passes the bound on its size, or a JSON or YAML document has too many values. A compressed file that grows more than 300 times is taken for a bomb. Large problems are best given as tables.",
    ),
    (
        "F003",
        "Broken gzip data",
        "The file begins like gzip but cannot be decompressed. It was probably cut off.",
    ),
    (
        "F004",
        "Not UTF-8",
        "Names and numbers are read as UTF-8 text. Convert the file.",
    ),
    (
        "F005",
        "Format not recognised",
        "Nothing in the first bytes tells which format this is. Name it with --format.",
    ),
    (
        "F007",
        "Syntax error",
        "The file is not valid JSON, YAML or a table with a header. Only the first such error of a document can be reported.",
    ),
    (
        "F008",
        "Unknown version",
        "The native format is versioned; this program reads version 1.",
    ),
    (
        "F010",
        "Missing column, field or name",
        "A table lacks a column, a document a field, or an object its name.",
    ),
    (
        "F011",
        "Unknown column or field",
        "Nothing in an input is ignored in silence, so a column or field that is not known is an error: it is usually misspelt.",
    ),
    (
        "F012",
        "Not a number",
        "An amount must be a decimal number; NaN and infinity are none. Where quantities are accepted, suffixes such as m, k, Mi and Gi are too.",
    ),
    (
        "F013",
        "Negative amount",
        "Amounts and counts are never below zero.",
    ),
    (
        "F014",
        "Too large or too many",
        "An amount passes what bayplan can count exactly, or there are more objects than it plans for at once.",
    ),
    ("F015", "Not a whole number", "Counts are whole numbers."),
    (
        "F016",
        "Out of range",
        "The value is a number, but not one that is allowed here.",
    ),
    (
        "F017",
        "Wrong kind of value",
        "A list, map, text or number stands where another kind is needed.",
    ),
    (
        "F018",
        "Unknown choice",
        "The text must be one of a few words.",
    ),
    (
        "F020",
        "Unknown name",
        "A rule, placement or option names an object that the input does not define.",
    ),
    (
        "F021",
        "Defined twice",
        "Two objects, columns or fields have the same name.",
    ),
    (
        "F022",
        "Contradicting limits",
        "The same pair of services has two different limits.",
    ),
    (
        "F024",
        "Values that contradict each other",
        "Two values of an object cannot both hold, such as an end before a start.",
    ),
    (
        "F030",
        "Option missing or contradicting",
        "The format needs the capacity of a node from an option, or an option contradicts what the input says.",
    ),
    (
        "F031",
        "Sums too large",
        "The demand for a resource, summed over everything, passes 63 bits. Check units and counts.",
    ),
    (
        "F032",
        "Lengths that differ",
        "Epochs of demands must agree over the whole file, and a list must be as long as its declared length.",
    ),
    (
        "F033",
        "Wrong number of fields",
        "A row of a table has more or fewer fields than its header.",
    ),
    (
        "F034",
        "Cannot be expressed",
        "The input holds a rule that this kind of problem cannot express and that cannot be treated on the safe side.",
    ),
    (
        "F036",
        "File that stands beside another",
        "This file only completes another one: give it with the option named.",
    ),
    (
        "F037",
        "Empty input",
        "The file has nothing of what it should describe.",
    ),
    (
        "F038",
        "Format cannot hold the problem",
        "The problem has something that the table asked for cannot say. The native format holds everything.",
    ),
    (
        "F039",
        "Compression not built in",
        "Parquet is read uncompressed, with snappy and with gzip. Files compressed otherwise (zstd, brotli, lz4) must be written again.",
    ),
    (
        "N001",
        "Default node",
        "No capacity was given, so a node has 64 cores and 128 GB, as in the experiments the format comes from.",
    ),
    (
        "N002",
        "Traffic of a service with itself",
        "Only traffic between different services can be made local by placing them together, so it is left out.",
    ),
    (
        "N003",
        "Layout replaces placement",
        "A layout was given beside an input that has a placement of its own; the layout is used.",
    ),
    (
        "N004",
        "Traffic replaced",
        "A table of traffic was given beside an input that has traffic of its own; the table is used.",
    ),
    (
        "N010",
        "Prices unknown",
        "A listing of a cluster has no prices, so every node costs 1; and nothing says how many nodes there may be, so any number.",
    ),
    (
        "N011",
        "Finished pods",
        "Pods that succeeded or failed hold no room. They are left out.",
    ),
    (
        "N012",
        "Pods that stay",
        "Bare, job, static and terminating pods, and pods whose annotations ask not to be disturbed, are never moved.",
    ),
    (
        "N013",
        "Pod affinity",
        "A rule that pods must run near others cannot be expressed. Both sides stay where they are.",
    ),
    (
        "N014",
        "Wide anti-affinity",
        "Anti-affinity between different services in domains larger than a node cannot be expressed: those services stay. Terms with namespace selectors or label keys are taken to mean every namespace and revision, except for pairs that run together now.",
    ),
    (
        "N015",
        "Topology spread",
        "A maximum skew s over D domains is kept by a bound h on what each domain holds: h = s, or (N + s) / D rounded down for N pods. Where D times h has no room for all pods, the domains that are fullest now may hold one more than the others, unless that is a single node. Where neither is possible, where pods without the constraint are counted, or where a service is not counted by its own constraint, the services stay where they are.",
    ),
    (
        "N016",
        "Volumes of unknown place",
        "Claims that are not in the listing (with their volumes), claims several pods share on one node, host paths and ephemeral claims: those pods stay. List persistentvolumeclaims and persistentvolumes too.",
    ),
    (
        "N017",
        "Preferences",
        "Preferred affinity, soft spreading and deletion costs are wishes, not rules, and are not used.",
    ),
    (
        "N018",
        "Budget over several services",
        "A disruption budget whose pods belong to several services: what it allows was divided evenly, rounded down.",
    ),
    (
        "N019",
        "Node not listed",
        "A pod runs on a node that is not in the listing; it counts as not placed.",
    ),
    (
        "N020",
        "Misplaced pods",
        "Pods that run where they would not be scheduled today. A plan moves them away.",
    ),
    (
        "N021",
        "Foreign schedulers and devices",
        "Pods with another scheduler or with device claims stay where they are.",
    ),
    (
        "N022",
        "Objects not used",
        "Kinds in the listing that say nothing about placement here.",
    ),
    (
        "N023",
        "Priorities",
        "Plans place everything or say what is left; they do not preempt, so priorities are not used.",
    ),
    (
        "N024",
        "Daemon sets",
        "They stay on their nodes; what they ask for was subtracted there, and from new nodes of the same kind.",
    ),
    (
        "N025",
        "More replicas wanted",
        "A workload asks for more pods than exist; it is planned with the number it asks for.",
    ),
    (
        "N026",
        "Overfull nodes",
        "Daemon sets ask for more than the node has; nothing is left on it.",
    ),
    (
        "N027",
        "Outside of what was asked for",
        "With --namespace or --labels only the pods they select are planned. All others keep their room and stay where they are.",
    ),
    (
        "N028",
        "Kinds of nodes without a price",
        "The file of node types does not name these kinds (by the label node.kubernetes.io/instance-type), so their price is taken to be that of the dearest kind listed. Add them to the file.",
    ),
    (
        "N029",
        "Stricter spread",
        "A maximum skew is kept by a bound on what each domain holds. For these services the bound is safe but stricter than the constraint, so a few legal placements are not looked at: where pods do not divide evenly, the domains that hold one more are chosen by where the pods are now.",
    ),
    (
        "N030",
        "Parts of cards",
        "Which pods share a card cannot be expressed, so a part counts as a whole card.",
    ),
    (
        "N031",
        "Empty intervals",
        "A request needs an interval; pods deleted when they were created count for one second.",
    ),
    (
        "N032",
        "Stateful sets",
        "A pod of a stateful set keeps its name and its volumes and is replaced in order, so it is not moved unless --move-stateful is given; volumes bound to a zone or node are then kept as rules.",
    ),
    (
        "N033",
        "Autoscaled workloads",
        "An autoscaler changes the number of replicas at any time; the plan is for the number there is now. Carrying it out never raises the replicas of such a workload.",
    ),
    (
        "N034",
        "Not measured",
        "Prometheus has no usage of these services in the range asked for, so they are planned with what they request.",
    ),
    (
        "N035",
        "Traffic measured",
        "Traffic between services was taken from the metrics of a service mesh in Prometheus: requests per second for most, flows for Hubble.",
    ),
    (
        "N036",
        "Spread over a label",
        "overcommit knows no spread constraints over zones or other labels. On Kubernetes the services that have one stay where they are, so they still count on their nodes and get a recommendation for their requests, which holds wherever pods stand. Pods of them that have no place yet are left out. Without a cluster such a rule is refused (S002).",
    ),
];
