import { expect, test } from 'vitest'
import { buildPackageUrl, findingPackage, parsePackageUrl } from './package-url.ts'

test.each([
  ['pkg:npm/@angular/core@1.0', 'pkg:npm/%40angular/core@1.0', 'pkg:npm/%40angular/core', 'core'],
  ['pkg:pypi/Foo_Bar@1', 'pkg:pypi/foo-bar@1', 'pkg:pypi/foo-bar', 'foo-bar'],
  ['pkg:maven/org.Acme/Core', 'pkg:maven/org.Acme/Core', 'pkg:maven/org.Acme/Core', 'core'],
  [
    'pkg:deb/debian/libc6@2.36-9%2Bdeb12u1?distro=debian-12&arch=amd64',
    'pkg:deb/debian/libc6@2.36-9+deb12u1?arch=amd64&distro=debian-12',
    'pkg:deb/debian/libc6',
    'libc6',
  ],
  [
    'pkg:golang/github.com/acme/lib@v1.2.3#sub/dir',
    'pkg:golang/github.com/acme/lib@v1.2.3#sub/dir',
    'pkg:golang/github.com/acme/lib',
    'lib',
  ],
])('%s is stored in its canonical form', (text, url, key, name) => {
  expect(findingPackage(parsePackageUrl(text), 'other')).toEqual({ url, key, name })
})

test.each(['', 'lodash', 'pkg:npm', 'pkg:swift/x@1', 'https://example.com/a', `pkg:npm/${'a'.repeat(1000)}`])(
  '%s is no package URL',
  (text) => {
    expect(parsePackageUrl(text)).toBeUndefined()
  },
)

test('a package URL is built from its parts, if they are valid', () => {
  expect(buildPackageUrl({ type: 'maven', namespace: 'org.acme', name: 'core', version: '' })?.url).toBe(
    'pkg:maven/org.acme/core',
  )
  expect(buildPackageUrl({ type: 'swift', name: 'nio' })).toBeUndefined()
})

test('a package of an unknown ecosystem keeps the last part of its name', () => {
  expect(findingPackage(undefined, 'org.Acme:Core')).toEqual({ url: undefined, key: undefined, name: 'core' })
  expect(findingPackage(undefined, undefined)).toBeUndefined()
})
