// One of a few: radio buttons that look like one control, so that the arrow keys just work.
interface Props<T extends string> {
  name: string;
  label: string;
  hideLabel?: boolean;
  value: T;
  options: [T, string][];
  disabled?: T[];
  onChange: (value: T) => void;
}

export function Segments<T extends string>({
  name,
  label,
  hideLabel,
  value,
  options,
  disabled = [],
  onChange,
}: Props<T>) {
  return (
    <fieldset class="segments">
      <legend class={hideLabel ? "hidden" : ""}>{label}</legend>
      <div>
        {options.map(([key, text]) => (
          <label key={key}>
            <input
              type="radio"
              name={name}
              value={key}
              checked={key === value}
              disabled={disabled.includes(key)}
              onChange={() => onChange(key)}
            />
            <span>{text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
