import { Failure } from '../../platform/failure.ts'

/** Returns an error as one sentence, for responses that list one line per member. */
export function memberProblem(error: unknown): string {
  if (!(error instanceof Failure)) throw error
  const { cause } = error
  if (cause.kind === 'conflict') return cause.sentence
  if (cause.kind === 'not-found') return 'User not found'
  if (cause.kind === 'forbidden') return 'Access level is higher than your own'
  if (cause.kind !== 'invalid') throw error
  return Object.entries(cause.attributes)
    .flatMap(([name, messages]) => messages.map((message) => `${capitalised(name.replaceAll('_', ' '))} ${message}`))
    .join(', ')
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
