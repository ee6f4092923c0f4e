import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

// How wide an element is, so that charts are drawn in the pixels they get and letters keep their size.
export function useWidth<T extends HTMLElement>(): [RefObject<T>, number] {
  const element = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const seen = element.current;
    if (!seen) return;
    const observer = new ResizeObserver(() => setWidth(Math.floor(seen.clientWidth)));
    observer.observe(seen);
    setWidth(Math.floor(seen.clientWidth));
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
