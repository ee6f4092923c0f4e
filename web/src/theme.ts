// Light or dark as the system prefers, unless the switch says otherwise.
export type Theme = "system" | "light" | "dark";

const key = "poet-theme";

export function storedTheme(): Theme {
  const stored = localStorage.getItem(key);
  return stored === "light" || stored === "dark" ? stored : "system";
}

export function applyTheme(theme: Theme): void {
  if (theme === "system") {
    localStorage.removeItem(key);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(key, theme);
    document.documentElement.dataset.theme = theme;
  }
  dispatchEvent(new Event("themechange"));
}

// Calls back whenever colours may have changed: what is drawn on a canvas has to be drawn again.
export function onColoursChange(changed: () => void): () => void {
  const query = matchMedia("(prefers-color-scheme: dark)");
  query.addEventListener("change", changed);
  addEventListener("themechange", changed);
  return () => {
    query.removeEventListener("change", changed);
    removeEventListener("themechange", changed);
  };
}
