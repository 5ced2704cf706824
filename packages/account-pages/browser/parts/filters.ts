import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../account-texts.ts';
import { html } from '../html.ts';
import { Button } from './button.ts';
import { Field } from './field.ts';
import type { ListQuery } from './list-query.ts';
import { type Options, Select } from './select.ts';

/** Milliseconds after the last key until the list is searched. */
const TYPING = 300;

/** The search field and the choices above a list. */
export function Filters({
  query,
  search,
  choices,
}: {
  query: ListQuery;
  /** The label of the search field; without it there is none. */
  search?: string;
  choices: readonly { name: string; label: string; options: Options }[];
}) {
  const form = useRef<HTMLFormElement>(null);
  const timer = useRef(0);
  const apply = () => {
    clearTimeout(timer.current);
    const value = form.current?.querySelector<HTMLInputElement>('[type=search]')?.value.trim();
    if (value !== undefined && value !== query.search) query.change({ search: value }, { replace: true });
  };
  useEffect(() => {
    const input = form.current?.querySelector<HTMLInputElement>('[type=search]');
    if (input && input.value.trim() !== query.search && !timer.current) input.value = query.search;
  }, [query.search]);
  return html`
    <form
      ref=${form}
      class="filters"
      role="search"
      onSubmit=${(event: Event) => {
        event.preventDefault();
        apply();
      }}
    >
      ${
        search &&
        html`
          <${Field}
            name="search"
            type="search"
            label=${search}
            required=${false}
            maxlength="200"
            autocomplete="off"
            defaultValue=${query.search}
            onInput=${() => {
              clearTimeout(timer.current);
              timer.current = setTimeout(() => {
                timer.current = 0;
                apply();
              }, TYPING);
            }}
          />
        `
      }
      ${choices.map(
        ({ name, label, options }) => html`
          <${Select}
            key=${name}
            name=${name}
            label=${label}
            options=${options}
            value=${query.chosen(name)}
            onChange=${(value: string) => query.change({ [name]: value })}
          />
        `,
      )}
    </form>
  `;
}

/** The message in place of an empty list: nothing matches the filters, or there is nothing yet. */
export const EmptyList = ({ query, empty }: { query: ListQuery; empty: unknown }) =>
  query.isNarrowed || query.page > 1
    ? html`
        <p>${texts.lists.nothingFound}</p>
        <${Button} onClick=${query.reset}>${texts.lists.showAll}<//>
      `
    : empty;
