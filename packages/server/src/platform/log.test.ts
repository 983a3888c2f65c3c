import { expect, test } from 'vitest'
import { withoutSecrets } from './log.ts'

test.each([
  ['/api/v4/user?private_token=secret&page=2', '/api/v4/user?private_token=[hidden]&page=2'],
  ['/api/v4/user?private_token[]=secret', '/api/v4/user?private_token[]=[hidden]'],
  [
    '/api/v4/user?a=1&Access_Token=secret&bearer_token=',
    '/api/v4/user?a=1&Access_Token=[hidden]&bearer_token=[hidden]',
  ],
  ['/api/v4/user?%70rivate_token%5B%5D=secret', '/api/v4/user?%70rivate_token%5B%5D=[hidden]'],
  ['/-/password?token=secret', '/-/password?token=[hidden]'],
  ['/api/v4/users?password=secret&job_token=x=y', '/api/v4/users?password=[hidden]&job_token=[hidden]'],
  ['/api/v4/hooks?hook[token]=secret&url=x', '/api/v4/hooks?hook[token]=[hidden]&url=x'],
  ['/api/v4/user?x=1?private_token=a', '/api/v4/user?x=1?private_token=[hidden]'],
  ['/api/v4/topics?search=%zz&%zz=1', '/api/v4/topics?search=%zz&%zz=1'],
  ['/api/v4/projects/1/uploads/0f1e2d3c/plan.png', '/api/v4/projects/1/uploads/[hidden]/plan.png'],
  ['/-/group/3/uploads/%30f1e2d3c/plan.png?x=1', '/-/group/3/uploads/[hidden]/plan.png?x=1'],
  ['/-/project/3/thumbnails/0f1e2d3c/plan.png', '/-/project/3/thumbnails/[hidden]/plan.png'],
  ['/-/links/Ab_c-9?x=1', '/-/links/[hidden]?x=1'],
  ['/api/v4/projects/1/uploads/resumable/0f1e2d3c', '/api/v4/projects/1/uploads/resumable/[hidden]'],
  ['/api/v4/projects/1/uploads/17/links/3', '/api/v4/projects/1/uploads/17/links/3'],
  ['/api/v4/projects/1/uploads/17/restore', '/api/v4/projects/1/uploads/17/restore'],
  ['/uploads/-/system/projects/topic/avatar/1/a.png', '/uploads/-/system/projects/topic/avatar/1/a.png'],
  ['/api/v4/projects?search=uploads', '/api/v4/projects?search=uploads'],
])('the log writes %s as %s', (address, logged) => {
  expect(withoutSecrets(address)).toBe(logged)
})
