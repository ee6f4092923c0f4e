import { select } from "d3-selection";
import { type D3ZoomEvent, type ZoomBehavior, type ZoomTransform, zoom, zoomIdentity } from "d3-zoom";
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export type Zoom = {
  k: number;
  // Where the plot's corner lies, from its own corner when everything is seen.
  x: number;
  y: number;
  by: (factor: number, around?: [number, number]) => void; // around a point of the canvas; default: the middle
  fit: () => void;
  // Brings a point of the plot (in its pixels when everything is seen) to the middle, at least so much enlarged.
  show: (x: number, y: number, k: number) => void;
};

type Area = { left: number; top: number; width: number; height: number };

// Wheel, drag and pinch on a canvas. The wheel zooms once the canvas was clicked or reached by keyboard, or with Ctrl:
// a page that is scrolled past it scrolls on.
export function useZoom(canvas: RefObject<HTMLCanvasElement>, area: Area, most: number): Zoom {
  const [transform, setTransform] = useState<ZoomTransform>(zoomIdentity);
  const behaviour = useRef<ZoomBehavior<HTMLCanvasElement, unknown> | null>(null);
  useEffect(() => {
    const element = canvas.current;
    if (!element || area.width <= 0) return;
    let k = 1;
    const corners: [[number, number], [number, number]] = [
      [area.left, area.top],
      [area.left + area.width, area.top + area.height],
    ];
    const zooming = zoom<HTMLCanvasElement, unknown>()
      .scaleExtent([1, Math.max(1, most)])
      .extent(corners)
      .translateExtent(corners)
      .filter((event: Event) => {
        if (event.type === "wheel") return document.activeElement === element || (event as WheelEvent).ctrlKey;
        if (event.type === "touchstart") return k > 1 || (event as TouchEvent).touches.length > 1;
        return !(event as MouseEvent).button;
      })
      .on("zoom", (event: D3ZoomEvent<HTMLCanvasElement, unknown>) => {
        k = event.transform.k;
        element.style.touchAction = k > 1 ? "none" : "pan-y";
        setTransform(event.transform);
      });
    behaviour.current = zooming;
    const selection = select(element);
    selection.call(zooming).on("dblclick.zoom", null);
    selection.call(zooming.transform, zoomIdentity);
    return () => {
      selection.on(".zoom", null);
    };
  }, [area.width, area.height, most]);
  const act = (use: (zooming: ZoomBehavior<HTMLCanvasElement, unknown>, element: HTMLCanvasElement) => void) => {
    if (behaviour.current && canvas.current) use(behaviour.current, canvas.current);
  };
  return {
    k: transform.k,
    x: transform.x + (transform.k - 1) * area.left,
    y: transform.y + (transform.k - 1) * area.top,
    by: (factor, around) => act((zooming, element) => select(element).call(zooming.scaleBy, factor, around)),
    fit: () => act((zooming, element) => select(element).call(zooming.transform, zoomIdentity)),
    show: (x, y, k) =>
      act((zooming, element) => {
        const selection = select(element);
        if (transform.k < k) selection.call(zooming.scaleTo, k);
        selection.call(zooming.translateTo, area.left + x, area.top + y);
      }),
  };
}
