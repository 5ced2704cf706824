/** Shows a widget in an element. Returns the function that removes it. */
export type ShowWidget = (
  element: HTMLElement,
  /** Receives the token of a solved challenge, and an empty text when it has expired. */
  onToken: (token: string) => void,
  onError: () => void,
) => Promise<() => void>;
