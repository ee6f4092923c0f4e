import type { Device } from "../service/types";
import { sizeFigure } from "../text/figures";
import { Breakable } from "../text/name";

type Props = { devices: Device[]; chosen: string; choose: (name: string) => void };

function Figures({ device }: { device: Device }) {
  return (
    <details>
      <summary>All figures of {device.name}</summary>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">Figure</th>
              <th scope="col">Value</th>
              <th scope="col">Source</th>
            </tr>
          </thead>
          <tbody>
            {device.figures.map((figure) => (
              <tr key={figure.key}>
                <th scope="row">
                  <Breakable text={figure.key} />
                </th>
                <td>{figure.text}</td>
                <td class="soft">{figure.source}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

export function DeviceChoice({ devices, chosen, choose }: Props) {
  const device = devices.find((one) => one.name === chosen);
  return (
    <section class="card">
      <header>
        <h2>Device</h2>
      </header>
      <div class="choices devices" role="radiogroup" aria-label="Device">
        {devices.map((one) => (
          <label class="choice" key={one.name}>
            <input type="radio" name="platform" checked={one.name === chosen} onChange={() => choose(one.name)} />
            <span>
              <strong>{one.name}</strong>
              <small>{one.title}</small>
              <small class="figure">
                RAM {sizeFigure(one.ram_bytes)}
                {one.memories.map((memory) => `, ${memory.name} ${sizeFigure(memory.size_bytes)}`)}
                {one.storage_bytes ? `, storage ${sizeFigure(one.storage_bytes)}` : ""}
              </small>
            </span>
          </label>
        ))}
      </div>
      {device && <Figures device={device} />}
    </section>
  );
}
