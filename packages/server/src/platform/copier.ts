/**
 * Returns a function that copies an object whose values are JSON or `undefined`. It evaluates an object literal, so V8 creates
 * a copy of 80 fields in 0.1 µs and sets half of them in 1 µs. Adding as many fields to an object takes 25 µs (decision 141).
 */
export function copierOf<Copied extends object>(template: Copied): () => Copied {
  const fields = Object.entries(template).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
  return new Function(`return { ${fields.join(', ')} }`) as () => Copied // by the text of its body
}
