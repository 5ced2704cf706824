/** One change that the admin API can make. */
export interface Step {
  change: '+' | '~' | '-';
  what: string;
  method: string;
  path: string;
  body?: object;
}

/** What leads from the deployment to the declaration. */
export interface Plan {
  steps: Step[];
  /** What only people can do: no operation does it for them. */
  manual: string[];
}
