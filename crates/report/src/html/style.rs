//! How the page looks, on a screen in light and dark, and on paper.

/// Colours of resources in the pictures: Okabe and Ito's.
pub(super) const COLOURS: [(&str, &str); 3] =
    [("bar", "#0072B2"), ("bar1", "#E69F00"), ("bar2", "#009E73")];

pub(super) const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
color:#1c2733;background:#fff}h1{font-size:1.5rem;line-height:1.3}h2{font-size:1.1rem;margin-top:2rem}\
table{border-collapse:collapse;width:100%}td,th{padding:.25rem .6rem;border-bottom:1px solid #d9dee3;text-align:left;\
vertical-align:top}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\
td:first-child{white-space:nowrap}code{background:#eef1f4;padding:.1rem .3rem;border-radius:3px;overflow-wrap:anywhere}\
svg{max-width:100%;height:auto}.note{color:#51606f}.key{display:inline-block;width:.8em;height:.8em;margin:0 .3em 0 .8em}\
.bar{fill:#0072B2}.bar1{fill:#E69F00}.bar2{fill:#009E73}.frame{fill:#e6eaee}.line{stroke:#1c2733}\
svg text{font:11px system-ui,sans-serif;fill:#51606f}\
@media(prefers-color-scheme:dark){body{color:#e4e9ee;background:#14191f}td,th{border-color:#323b45}\
code{background:#252d36}.note,svg text{color:#9fb0c0;fill:#9fb0c0}.frame{fill:#2a323b}.line{stroke:#e4e9ee}}\
@media print{body{margin:0;max-width:none;font-size:13px;color:#000;background:#fff}.note,svg text{color:#333;fill:#333}\
.frame{fill:#e6eaee}.line{stroke:#000}h2,h2+.note{break-after:avoid}svg{display:block}tr,svg{break-inside:avoid}\
td,th{border-color:#999}code{background:none;padding:0}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}";
