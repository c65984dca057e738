import { useState } from "preact/hooks";
import { type Download, download } from "../api";
import type { Run } from "../contract";
import { shortId } from "../logic/route";

const FILES: [Download, string][] = [
  ["plan.json", "Plan, JSON"],
  ["plan.csv", "Plan, CSV"],
  ["undo.json", "Undo plan"],
  ["report.html", "Report, HTML"],
];

/** What one takes along: the plan, the way back, the report, and the command that repeats it. */
export function Exports({ run, point }: { run: Run; point: number | null }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(run.command);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  const files = FILES.filter(([file]) => file !== "undo.json" || run.verb === "provision" || run.verb === "colocate");
  return (
    <section class="exports">
      <h2>Take it along</h2>
      <p class="files">
        {files.map(([file, label]) => (
          <a
            key={file}
            class="button"
            href={download(run.id, file, point)}
            // A report is read, the rest is kept.
            {...(file === "report.html" ? { target: "_blank" } : { download: `${run.verb}-${shortId(run.id)}.${file}` })}
          >
            {label}
          </a>
        ))}
      </p>
      <p class="command">
        <code>
          {run.command.split(" ").map((word, i) => (
            <span key={i}>{word} </span>
          ))}
        </code>
        {/* Browsers keep the clipboard from pages that come over a network unencrypted. */}
        {navigator.clipboard && (
          <button type="button" onClick={copy}>
            {copied ? "Copied" : "Copy"}
          </button>
        )}
      </p>
    </section>
  );
}
