/** Lets a loop wait for notifications. One that arrives before the wait ends it. */
export function createSignal() {
  let next = Promise.withResolvers<void>();
  return {
    notify: (): void => next.resolve(),
    /** Resolves at the next notification, or after `timeout` milliseconds if one is given. */
    async wait(timeout?: number): Promise<void> {
      const timer = timeout === undefined ? undefined : setTimeout(next.resolve, timeout);
      await next.promise;
      clearTimeout(timer);
      next = Promise.withResolvers();
    },
  };
}
