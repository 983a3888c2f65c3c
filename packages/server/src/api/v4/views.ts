import Type from 'typebox'

/** Types as arrays, because the serialiser is slow with `anyOf`. */
export const nullableString = Type.Unsafe<string | null>({ type: ['string', 'null'] })
export const nullableInteger = Type.Unsafe<number | null>({ type: ['integer', 'null'] })

const time = { format: 'date-time', description: 'ISO 8601 in UTC with milliseconds' }
export const timestamp = Type.Unsafe<string>({ type: 'string', ...time })
export const nullableTimestamp = Type.Unsafe<string | null>({ type: ['string', 'null'], ...time })
/** An object without a declared structure, such as the details of a third-party report. */
export const freeObject = Type.Unsafe<object>({ type: 'object', additionalProperties: true })

/** Response of operations that GitLab only queues. Here they are complete when the response is sent. */
export const acceptedView = Type.Object({ message: Type.String() })
export const viewAccepted = () => ({ message: '202 Accepted' })
