// One quantity in large letters, with a meter where it is part of another.
export function Fact(props: {
  name: string;
  value: string;
  more: string;
  part?: number | undefined;
  mark?: number | undefined;
  beyond?: boolean;
}) {
  return (
    <div class={`fact ${props.beyond ? "beyond" : ""}`}>
      <h3>{props.name}</h3>
      <p class="value">{props.value}</p>
      {props.part !== undefined && (
        <div class="meter" aria-hidden="true">
          <span class="meter-fill" style={{ width: `${Math.min(props.part, 1) * 100}%` }} />
          {props.mark !== undefined && (
            <span class="meter-mark" style={{ left: `${Math.min(props.mark, 1) * 100}%` }} />
          )}
        </div>
      )}
      <p class="more">{props.more}</p>
    </div>
  );
}
