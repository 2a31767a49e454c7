// The sign of the house: the ℞ that stands at the head of every prescription, drawn as one R whose leg is crossed.

export function Mark({ class: className }: { class?: string }) {
  return (
    <svg class={className} viewBox="0 0 48 48" aria-hidden="true" focusable="false">
      <rect width="48" height="48" rx="11" fill="var(--accent)" />
      <g fill="none" stroke="var(--on-accent)" stroke-width="4.6" stroke-linecap="round" stroke-linejoin="round">
        <path d="M14 35V11h8.500a7 7 0 0 1 0 14H14" />
        <path d="M20.5 25 35 39" />
        <path d="M35 27 24 39" />
      </g>
    </svg>
  );
}
