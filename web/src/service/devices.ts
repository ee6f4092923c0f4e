import { useEffect, useState } from "preact/hooks";
import { getJson } from "./call";
import type { Device } from "./types";

let asked: Promise<Device[]> | null = null;

// The devices do not change while a service runs, so they are asked for once; after a failure, again.
export function devices(): Promise<Device[]> {
  asked ??= getJson<{ devices: Device[] }>("/v1/devices").then((answer) => answer.devices);
  asked.catch(() => {
    asked = null;
  });
  return asked;
}

// Empty until they are known.
export function useDevices(): Device[] {
  const [known, setKnown] = useState<Device[]>([]);
  useEffect(() => {
    devices().then(setKnown, () => {});
  }, []);
  return known;
}
