import type { ComponentChildren } from 'preact';
import { html } from '../html.ts';

/** Pairs of a term and its value. */
export const Facts = ({
  facts,
}: {
  facts: readonly (readonly [term: string, value: ComponentChildren, isWide?: boolean])[];
}) =>
  html`<dl class="facts">${facts.map(([term, value, isWide]) => html`<div class=${isWide ? 'wide' : ''}><dt>${term}</dt><dd>${value}</dd></div>`)}</dl>`;
