// What zooms without a wheel.
export function ZoomButtons({ enlarge, fit }: { enlarge: (factor: number) => void; fit: () => void }) {
  return (
    <div class="zoom">
      <button type="button" aria-label="Zoom in" onClick={() => enlarge(1.7)}>
        +
      </button>
      <button type="button" aria-label="Zoom out" onClick={() => enlarge(1 / 1.7)}>
        −
      </button>
      <button type="button" aria-label="Show everything" onClick={fit}>
        ⤢
      </button>
    </div>
  );
}
