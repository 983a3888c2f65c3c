import { expect, test } from 'vitest'
import { withoutSecrets } from './log.ts'

const secret = '0123456789abcdef0123456789abcdef'

test.each([
  ['/api/v4/user?private_token=x&page=2', '/api/v4/user?private_token=[hidden]&page=2'],
  ['/api/v4/user?private_token[]=x', '/api/v4/user?private_token[]=[hidden]'],
  ['/api/v4/user?private_token[a]=x', '/api/v4/user?private_token[a]=[hidden]'],
  ['/api/v4/user?private%5Ftoken%5B%5D=x', '/api/v4/user?private_token[]=[hidden]'],
  ['/-/password?token=x', '/-/password?token=[hidden]'],
  ['/api/v4/projects?search=token', '/api/v4/projects?search=token'],
  [`/-/project/1/uploads/${secret}/a.png`, '/-/project/1/uploads/[hidden]/a.png'],
  [`/api/v4/projects/1/uploads/${secret}/a.png?x=1`, '/api/v4/projects/1/uploads/[hidden]/a.png?x=1'],
  ['/api/v4/projects/1/uploads/42', '/api/v4/projects/1/uploads/42'],
])('the log shows %s as %s', (url, shown) => {
  expect(withoutSecrets(url)).toBe(shown)
})
