import { expect } from 'vitest'

// Byte by byte, Vitest takes seconds for a MiB.
expect.addEqualityTesters([
  (a: unknown, b: unknown) => (Buffer.isBuffer(a) && Buffer.isBuffer(b) ? a.equals(b) : undefined),
])
