import { pageWords } from "../text/page_words";

// Calls of the service: JSON in, JSON out, and every failure as one sentence.

export class ServiceError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly field: string | null,
  ) {
    super(message);
  }
}

const tokenKey = "poet-token";

// A service that is run with tokens wants one with every call; it is kept until the tab is closed.
export function token(): string | null {
  return sessionStorage.getItem(tokenKey);
}
export function keepToken(value: string): void {
  sessionStorage.setItem(tokenKey, value);
}

async function errorOf(answer: Response): Promise<ServiceError> {
  const text = await answer.text();
  try {
    const { error } = JSON.parse(text) as { error: { message: string; field: string | null } };
    return new ServiceError(pageWords(error.message), answer.status, error.field);
  } catch {
    return new ServiceError(`The service answered ${answer.status}.`, answer.status, null);
  }
}

export async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const known = token();
  if (known) headers.set("Authorization", `Bearer ${known}`);
  let answer: Response;
  try {
    answer = await fetch(path, { ...init, headers });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ServiceError("The service cannot be reached. Is 'poet serve' still running?", 0, null);
  }
  if (!answer.ok) throw await errorOf(answer);
  return answer;
}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const answer = await call(path, signal ? { signal } : {});
  return (await answer.json()) as T;
}

export async function postJson<T>(path: string, body: unknown): Promise<T> {
  const answer = await call(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as T;
}

export async function upload<T>(file: File): Promise<T> {
  const answer = await call(`/v1/models?name=${encodeURIComponent(file.name.slice(0, 100))}`, {
    method: "POST",
    headers: { "Content-Type": "application/octet-stream" },
    body: file,
  });
  return (await answer.json()) as T;
}

// A file that the service may still be making: 202 until it is there.
export async function fetchFile(path: string): Promise<Blob> {
  for (;;) {
    const answer = await call(path);
    if (answer.status !== 202) return answer.blob();
    const seconds = Number(answer.headers.get("Retry-After") ?? 1);
    await new Promise((done) => setTimeout(done, Math.min(Math.max(seconds, 0.5), 30) * 1000));
  }
}
