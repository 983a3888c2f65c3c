import { list, object, scalar, text, word } from '../problems/checks.ts'

const anyText = text()
const someText = text({ min: 1 })

const headers = list(object({ required: ['name', 'value'], properties: { name: someText, value: anyText } }))

const request = object({
  required: ['headers', 'method', 'url'],
  properties: { headers, method: someText, url: someText, body: anyText },
})

const response = object({
  required: ['headers', 'reason_phrase', 'status_code'],
  properties: { headers, reason_phrase: anyText, status_code: scalar('integer'), body: anyText },
})

/** Checks the requests and responses that a dynamic scanner recorded. */
export const evidenceCheck = object({
  properties: {
    source: object({ required: ['id', 'name'], properties: { id: someText, name: someText, url: anyText } }),
    summary: anyText,
    request,
    response,
    supporting_messages: list(object({ required: ['name'], properties: { name: someText, request, response } })),
  },
})

export const assetsCheck = list(
  object({
    required: ['type', 'name', 'url'],
    properties: { type: word(['http_session', 'postman']), name: someText, url: someText },
  }),
)
