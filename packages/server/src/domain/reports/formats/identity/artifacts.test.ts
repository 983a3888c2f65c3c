import { expect, test } from 'vitest'
import { artifactName, startArtifacts } from './artifacts.ts'

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`

test.for([
  ['app', 'app'],
  ['app:1.2.3', 'app'],
  ['app:latest', 'app'],
  [`app@${digest}`, 'app'],
  [`app:1.2.3@${digest}`, 'app'],
  ['registry:5000/app', 'registry:5000/app'],
  ['registry:5000/app:1', 'registry:5000/app'],
  [`registry:5000/team/app:1@${digest}`, 'registry:5000/team/app'],
  [' app:1 ', 'app'],
  ['https://git.example.com:8443/team/app.git', 'https://git.example.com:8443/team/app.git'],
  ['git@git.example.com:team/app.git', 'git@git.example.com:team/app.git'],
  ['.', '.'],
  ['services/api', 'services/api'],
  ['/builds/0/team/app/', 'app'],
  ['/builds/1/team/app', 'app'],
  ['C:\\work\\app', 'app'],
  ['c:/builds/app', 'app'],
  [':1', ':1'],
] as const)('%s has the artifact name %s', ([written, name]) => {
  expect(artifactName(written)).toBe(name)
})

test.for(['', ' ', '/', 'C:\\', null, 7, {}, undefined])('%j has no artifact name', (written) => {
  expect(artifactName(written)).toBeUndefined()
})

test('an artifact name of any length is parsed quickly', () => {
  for (const part of ['/', ':', '@a:', '@', 'a']) {
    expect(artifactName(`${part.repeat(1_000_000)}!`)?.length).toBeLessThanOrEqual(255)
  }
})

test('entries of several artifacts have no common artifact', () => {
  const artifacts = startArtifacts()
  expect(artifacts.only()).toBeUndefined()
  for (const image of ['app:1', undefined, 'app:2']) artifacts.add(image)
  expect(artifacts.only()).toBe('app')
  artifacts.add('web:1')
  expect(artifacts.only()).toBeUndefined()
})
