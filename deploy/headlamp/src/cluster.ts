import { ApiProxy } from '@kinvolk/headlamp-plugin/lib';

/** A kind whose lists the engine reads (`ReadKind` in crates/page). */
export interface Kind {
  resource: string;
  paths: string[];
  isNamespaced: boolean;
  mayBeAbsent: boolean;
  isCustom: boolean;
}

/** The texts of the API, and what a snapshot's header says of them. */
interface Read {
  texts: string[];
  resourceVersions: Record<string, string>;
  unreadable: { resource: string; reason: string }[];
}

/** Objects of a page; kubectl's number. */
const PAGE = 500;

/** What the API server answers, as it was sent: numbers of JavaScript would lose digits. */
async function get(cluster: string, path: string): Promise<string> {
  const answer = await ApiProxy.clusterRequest(path, { cluster, isJSON: false });
  return answer.text();
}

/** All pages of a list, and its resource version. */
async function pages(cluster: string, path: string): Promise<[string[], string]> {
  let texts: string[] = [];
  let query = `?limit=${PAGE}`;
  for (;;) {
    let text: string;
    try {
      text = await get(cluster, path + query);
    } catch (error: any) {
      if (error.status !== 410 || !query.includes('continue')) throw error;
      // The list expired between two pages: it is read once more, in one piece.
      texts = [];
      query = '';
      continue;
    }
    texts.push(text);
    const { continue: token, resourceVersion } = JSON.parse(text).metadata;
    if (!token) return [texts, resourceVersion];
    query = `?limit=${PAGE}&continue=${encodeURIComponent(token)}`;
  }
}

/** Reads a kind in the newest version that is served. What may not be read is noted, as `kubectl preempt` notes it. */
async function list(cluster: string, namespace: string, kind: Kind, read: Read): Promise<void> {
  let missing = '';
  for (const path of kind.paths) {
    try {
      const [texts, resourceVersion] = await pages(cluster, path);
      read.texts.push(...texts);
      read.resourceVersions[kind.resource] = resourceVersion;
      return;
    } catch (error: any) {
      if (error.status === 404) {
        missing = error.message;
        continue;
      }
      // Another program serves its own kinds, and may be down.
      if (error.status !== 403 && !(kind.isCustom && error.status >= 500)) throw error;
      read.unreadable.push({ resource: kind.resource, reason: error.message });
      // Who may not read all namespaces may read the pod's.
      if (error.status === 403 && kind.isNamespaced) {
        const part = path.replace(/[^/]+$/, plural => `namespaces/${namespace}/${plural}`);
        await pages(cluster, part).then(([texts]) => read.texts.push(...texts), ignored);
      }
      return;
    }
  }
  if (!kind.mayBeAbsent) read.unreadable.push({ resource: kind.resource, reason: missing });
}

/** For what is already noted, and for what an answer does not need. */
function ignored() {}

/** Reads what the engine asks for, as the files of a snapshot. */
export async function readCluster(
  cluster: string,
  namespace: string,
  kinds: Kind[],
  programs: string[]
): Promise<File[]> {
  const read: Read = { texts: [], resourceVersions: {}, unreadable: [] };
  const more = programs.map(path =>
    get(cluster, path).then(text => void read.texts.push(text), ignored)
  );
  const version = get(cluster, '/version').then(text => JSON.parse(text).gitVersion, ignored);
  // Pods are last: the later a list, the less it lags behind the cluster.
  const isLast = (kind: Kind) => kind.resource === 'pods';
  await Promise.all(
    kinds.filter(kind => !isLast(kind)).map(kind => list(cluster, namespace, kind, read))
  );
  await Promise.all(kinds.filter(isLast).map(kind => list(cluster, namespace, kind, read)));
  await Promise.all(more);

  const { texts, ...known } = read;
  const header = {
    apiVersion: 'kubectl-preempt.github.io/v1',
    kind: 'Snapshot',
    snapshot: { serverVersion: await version, ...known },
    items: [],
  };
  return [...texts, JSON.stringify(header)].map((text, i) => new File([text], `${i}.json`));
}
