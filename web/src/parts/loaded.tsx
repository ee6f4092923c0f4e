import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { keepToken, ServiceError } from "../service/call";

// What is fetched: on its way, there, or not to be had.
export type Loaded<T> = { state: "loading" } | { state: "ready"; value: T } | { state: "error"; error: Error };

// Fetches again whenever one of `inputs` changes; what was there stays until the new is.
export function useLoaded<T>(fetchIt: (signal: AbortSignal) => Promise<T>, inputs: unknown[]): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: "loading" });
  useEffect(() => {
    const aborter = new AbortController();
    fetchIt(aborter.signal).then(
      (value) => !aborter.signal.aborted && setLoaded({ state: "ready", value }),
      (error: Error) => !aborter.signal.aborted && setLoaded({ state: "error", error }),
    );
    return () => aborter.abort();
  }, inputs);
  return loaded;
}

function TokenForm() {
  const [value, setValue] = useState("");
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        keepToken(value.trim());
        location.reload();
      }}
    >
      <label>
        Token{" "}
        <input
          type="password"
          autocomplete="off"
          value={value}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Use it</button>
    </form>
  );
}

export function Trouble({ error, children }: { error: Error; children?: ComponentChildren }) {
  const unauthorised = error instanceof ServiceError && error.status === 401;
  return (
    <div class="trouble" role="alert">
      <p>{error.message}</p>
      {unauthorised && <TokenForm />}
      {children}
    </div>
  );
}

// While nobody answers, what is on the page is what was heard last.
export function Away() {
  return (
    <div class="trouble" role="alert">
      <p>The service does not answer. What is here is what it said last; this page goes on when it is back.</p>
    </div>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <p class="loading" role="status">
      <span class="dots" aria-hidden="true" />
      {what}
    </p>
  );
}
