import { expect, test } from 'vitest'
import { signatureHeaders } from './signature.ts'

const delivery = {
  id: 'msg_loFOjxBNrRLzqYUf',
  now: '2024-11-15T21:12:01.700Z',
  body: '{"event_type":"ping","data":{"success":true}}',
}

test('a token with a prefix is a key in Base64, as in the Standard Webhooks specification', () => {
  expect(signatureHeaders('whsec_plJ3nmyCDGBKInavdOK15jsl', delivery)).toEqual({
    'webhook-id': 'msg_loFOjxBNrRLzqYUf',
    'webhook-timestamp': '1731705121',
    'webhook-signature': 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
  })
})

test('any other token is the key itself', () => {
  // printf '%s' '<id>.<timestamp>.<body>' | openssl dgst -sha256 -hmac 'our secret' -binary | base64
  expect(signatureHeaders('our secret', delivery)['webhook-signature']).toBe(
    'v1,iXNmDX3B5AUWYm2WkYomoiQ13y672fS1tc/3y8Vt+ww=',
  )
})
