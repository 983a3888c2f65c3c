import { expect } from 'vitest'

// Vitest's own comparison, byte by byte, takes seconds per MiB.
expect.addEqualityTesters([
  (a: unknown, b: unknown) => (Buffer.isBuffer(a) && Buffer.isBuffer(b) ? a.equals(b) : undefined),
])
