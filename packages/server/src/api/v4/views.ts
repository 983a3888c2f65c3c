import Type from 'typebox'

/** Types as arrays, because the serialiser is slow with `anyOf`. */
export const nullableString = Type.Unsafe<string | null>({ type: ['string', 'null'] })
export const nullableInteger = Type.Unsafe<number | null>({ type: ['integer', 'null'] })

const time = { format: 'date-time', description: 'ISO 8601 in UTC with milliseconds' }
export const timestamp = Type.Unsafe<string>({ type: 'string', ...time })
export const nullableTimestamp = Type.Unsafe<string | null>({ type: ['string', 'null'], ...time })
/** An object as somebody else wrote it. */
export const freeObject = Type.Unsafe<object>({ type: 'object', additionalProperties: true })

/** Of what is done at once, where GitLab would do it later. */
export const acceptedView = Type.Object({ message: Type.String() })
export const viewAccepted = () => ({ message: '202 Accepted' })
