/** The logo of Alcove. */
export function Mark({ size = 26 }: { size?: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="var(--accent)" />
      <path d="M8 25V15a8 8 0 0 1 16 0v10h-4.5v-9.5a3.500 3.500 0 0 0-7 0V25z" fill="var(--on-accent)" />
    </svg>
  )
}
