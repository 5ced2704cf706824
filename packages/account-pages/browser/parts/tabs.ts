import { html } from '../html.ts';

/** Links between the parts of a page. */
export const Tabs = ({
  label,
  current,
  tabs,
}: {
  label: string;
  current: string;
  tabs: readonly { name: string; path: string; title: string }[];
}) => html`
  <nav class="tabs" aria-label=${label}>
    ${tabs.map(
      ({ name, path, title }) => html`
        <a key=${name} href=${path} data-page aria-current=${name === current ? 'page' : undefined}>${title}</a>
      `,
    )}
  </nav>
`;
