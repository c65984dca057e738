import type { Problem } from "../contract";

/** What is wrong, where, and what to do about it; all at once. */
export function Problems({ problems }: { problems: Problem[] }) {
  if (problems.length === 0) return null;
  return (
    <ul class="problems" role="alert">
      {problems.map((problem, i) => (
        <li key={i}>
          <code>{problem.code}</code>
          <div>
            <p>
              {problem.place && <strong>{problem.place}: </strong>}
              {quoted(problem.what)}
            </p>
            {problem.fix && <p class="fix">{quoted(problem.fix)}</p>}
          </div>
        </li>
      ))}
    </ul>
  );
}

/** What stands between backticks is what one types. */
const quoted = (text: string) => text.split("`").map((part, i) => (i % 2 === 1 ? <q key={i}>{part}</q> : part));
