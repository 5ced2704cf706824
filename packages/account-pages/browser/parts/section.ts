import type { ComponentChildren } from 'preact';
import { html } from '../html.ts';

/** A part of a page: a heading, what one can do there, and its content. */
export const Section = ({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ComponentChildren;
  children?: ComponentChildren;
}) => html`
  <section class="section">
    <header><h2>${title}</h2>${actions && html`<div class="actions">${actions}</div>`}</header>
    ${children}
  </section>
`;
