/**
 * Returns a function that returns copies of an object whose values are JSON or `undefined`. Copies have all fields from the
 * start: V8 builds a literal of 80 fields in 0.1 µs and sets half of them in 1 µs, and takes 25 µs to add as many to an
 * object (decision 141).
 */
export function copierOf<Copied extends object>(template: Copied): () => Copied {
  const fields = Object.entries(template).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
  return new Function(`return { ${fields.join(', ')} }`) as () => Copied
}
