// A form from the server's description of a question's options.
import type { Option } from "../contract";
import { capital, words } from "../logic/format";
import { type Answers, complaint } from "../logic/options";

interface Props {
  options: Option[];
  values: Answers;
  onChange: (values: Answers) => void;
}

export function Fields({ options, values, onChange }: Props) {
  return (
    <>
      {options.map((option) => (
        <Field
          key={option.name}
          option={option}
          value={values[option.name]}
          onChange={(value) => onChange({ ...values, [option.name]: value })}
        />
      ))}
    </>
  );
}

function Field({
  option,
  value,
  onChange,
}: {
  option: Option;
  value: string | boolean;
  onChange: (value: string | boolean) => void;
}) {
  const id = `option-${option.name}`;
  const wrong = complaint(option, value);
  const help = (
    <small id={`${id}-help`} class={wrong ? "bad" : ""}>
      {wrong ? `Wanted: ${wrong}.` : option.help}
    </small>
  );
  if (option.kind === "flag") {
    return (
      <div class="field flag">
        <label for={id}>{capital(words(option.name))}</label>
        <span>
          <input
            id={id}
            type="checkbox"
            checked={value === true}
            aria-describedby={`${id}-help`}
            onChange={(e) => onChange(e.currentTarget.checked)}
          />
        </span>
        {help}
      </div>
    );
  }
  return (
    <div class="field">
      <label for={id}>{capital(words(option.name))}</label>
      {option.kind === "choice" ? (
        <select id={id} value={String(value)} onChange={(e) => onChange(e.currentTarget.value)}>
          {option.default === null && <option value="">as the algorithm prefers</option>}
          {option.choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : (
        <span class="entry">
          <input
            id={id}
            value={String(value)}
            placeholder={option.kind === "text" ? "" : "not set"}
            inputMode={option.kind === "text" ? "text" : "decimal"}
            spellcheck={false}
            aria-invalid={wrong !== null}
            aria-describedby={`${id}-help`}
            onInput={(e) => onChange(e.currentTarget.value)}
          />{" "}
          {option.kind === "percent" ? "%" : option.unit}
        </span>
      )}
      {help}
    </div>
  );
}
