import type { ComponentChildren } from 'preact';
import { html } from '../html.ts';

interface Props {
  kind?: 'primary' | 'secondary' | 'danger' | 'plain' | 'link';
  type?: 'button' | 'submit';
  /** Whether its action is under way; it keeps its size and its focus. */
  busy?: boolean;
  disabled?: boolean;
  onClick?: (() => void) | undefined;
  /** The name for screen readers where the text alone is ambiguous; it contains the text. */
  label?: string;
  children?: ComponentChildren;
}

export const Button = ({
  kind = 'secondary',
  type = 'button',
  busy = false,
  disabled = false,
  onClick,
  label,
  children,
}: Props) =>
  html`
    <button
      type=${type}
      class=${`button ${kind}${busy ? ' busy' : ''}`}
      aria-disabled=${busy || disabled}
      aria-label=${label}
      onClick=${(event: Event) => {
        if (busy || disabled) event.preventDefault();
        else onClick?.();
      }}
    >
      <span>${children}</span>
    </button>
  `;
