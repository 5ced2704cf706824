import { type ComponentProps, useActionState } from 'react';

interface Props {
  button: string;
  /** The inputs by label. */
  inputs?: Record<string, ComponentProps<'input'>>;
  /** Gets the inputs by name. @returns what went wrong. */
  submit(values: Record<string, string>): Promise<string | undefined>;
}

export function Form({ button, inputs = {}, submit }: Props) {
  const [problem, action, isPending] = useActionState(
    (_: unknown, form: FormData) => submit(Object.fromEntries(form) as Record<string, string>),
    undefined,
  );
  return (
    <form action={action}>
      {Object.entries(inputs).map(([label, input]) => (
        <label key={label}>
          {label} <input required {...input} />
        </label>
      ))}
      <button type="submit" disabled={isPending}>
        {button}
      </button>
      {problem && <p role="alert">{problem}</p>}
    </form>
  );
}
