/** The URLs of PostgreSQL: libpq's form may name several servers, as `postgres://user@a:5432,b:5432/wolke` does. */

/** The scheme with the user, the servers, and the rest. */
const form = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s

/** The URL of each server; undefined where one of them is no URL, or where `target_session_attrs` wants another kind of server. */
export function serverUrls(url: string): readonly string[] | undefined {
  const [, before = '', servers = '', rest = ''] = form.exec(url) ?? []
  const urls = servers.split(',').map((server) => before + server + rest)
  if (before === '' || !urls.every((one) => URL.canParse(one))) return undefined
  const wanted = new URL(urls[0]!).searchParams.get('target_session_attrs')
  return wanted === null || wanted === 'read-write' || wanted === 'primary' ? urls : undefined
}
