import { expect, test } from 'vitest'
import { describeNetworkFailure } from './network-failure.ts'

const url = 'https://alcove.example.com/api/v4/version'
const failure = (code: string, message = '') =>
  Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error(message), { code }) })

test.each([
  ['ECONNREFUSED', 'nothing listens at that address. Check ALCOVE_URL and its port, and that the server runs'],
  ['ENOTFOUND', 'its name cannot be resolved. Check ALCOVE_URL'],
  [
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'it does not use TLS at that port. Check whether ALCOVE_URL must begin with http://',
  ],
])('a failure with the code %s may pass, and says what to check', (code, reason) => {
  expect(describeNetworkFailure(failure(code), url, {})).toEqual({ reason, mayPass: true })
})

test.each([
  ['SELF_SIGNED_CERT_IN_CHAIN', 'NODE_EXTRA_CA_CERTS'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'NODE_EXTRA_CA_CERTS'],
  ['CERT_HAS_EXPIRED', 'its certificate has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for another name'],
])('a certificate with the problem %s is not tried again', (code, reason) => {
  const found = describeNetworkFailure(failure(code), url, {})
  expect(found).toEqual({ reason: expect.stringContaining(reason), mayPass: false })
})

test('an unknown failure is described by its own message', () => {
  expect(describeNetworkFailure(failure('EODD', 'odd socket'), url, {}).reason).toBe('odd socket')
  expect(describeNetworkFailure(new TypeError('fetch failed'), url, {}).reason).toBe('fetch failed')
})

test.each<[Record<string, string>, string | undefined]>([
  [{ HTTPS_PROXY: 'http://proxy.test' }, 'HTTPS_PROXY is set'],
  [{ https_proxy: 'http://proxy.test', NO_PROXY: 'other.test' }, 'https_proxy is set'],
  [{ HTTP_PROXY: 'http://proxy.test' }, undefined],
  [{ HTTPS_PROXY: 'http://proxy.test', NODE_USE_ENV_PROXY: '1' }, undefined],
  [{ HTTPS_PROXY: 'http://proxy.test', NO_PROXY: 'localhost, .example.com' }, undefined],
])('with the variables %j the hint about a proxy is %s', (env, hint) => {
  const { reason } = describeNetworkFailure(failure('ECONNREFUSED'), url, env)
  if (hint === undefined) expect(reason).not.toContain('PROXY')
  else expect(reason).toContain(`${hint}, but Node.js uses it only with NODE_USE_ENV_PROXY=1`)
})
