// The page that files are dropped on. What the engine says in words becomes text nodes; the markup of a pod's page is the
// engine's own, which escapes what a cluster says.
(() => {
  const { copyButtons, explorer, make, number, pictures, searchBySlash, unfoldOnPaper } = shared;
  const ROWS = 500;
  const at = (id) => document.getElementById(id);
  const drop = at('drop'), queue = at('queue'), pod = at('pod'), kind = at('kind'), value = at('value');

  // ---- the engine, in a worker ----

  const source = new Blob([at('worker').textContent], { type: 'text/javascript' });
  const worker = new Worker(URL.createObjectURL(source));
  const asked = new Map();
  let last = 0;
  worker.onmessage = ({ data }) => {
    if (data.progress) { progress(data.progress); return; }
    window.engine = { took: data.took, memory: data.memory };
    asked.get(data.id)?.(data.answer);
    asked.delete(data.id);
  };
  worker.onerror = (event) => { say(''); complain(`the engine does not start: ${event.message}`); };

  /** Asks the worker; what it is handed besides goes with `more`. */
  function send(more, transferred = []) {
    last += 1;
    const id = last;
    return new Promise((done) => { asked.set(id, done); worker.postMessage({ id, ...more }, transferred); });
  }

  async function unpack(text) {
    const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).arrayBuffer();
  }

  const started = (async () => {
    const wasm = await unpack(at('engine').textContent.trim());
    at('engine').remove();
    return send({ wasm }, [wasm]);
  })();

  // ---- what is said ----

  const say = (text) => { at('status').textContent = text; };
  const complain = (text) => { at('problem').textContent = text; };

  let reading = null;
  function progress({ file, bytes }) {
    const lent = reading?.[file];
    if (lent) say(`reading ${plain(lent.name)}: ${Math.floor(bytes / lent.size * 100)} %`);
  }

  /** Characters that hide or turn text around are shown by their numbers. */
  function plain(text) {
    return text.replace(/[\p{C}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]/gu, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
  }

  // ---- reading ----

  /** All files below an entry that was dropped. */
  async function below(entry, path) {
    if (entry.isFile) return [{ path, file: await new Promise((done, fail) => entry.file(done, fail)) }];
    const reader = entry.createReader(), found = [];
    for (;;) {
      const some = await new Promise((done, fail) => reader.readEntries(done, fail));
      if (!some.length) return found;
      for (const one of some) found.push(...await below(one, path ? `${path}/${one.name}` : one.name));
    }
  }

  async function dropped(transfer) {
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    if (entries.length === 1 && entries[0].isDirectory) return read(entries[0].name, true, await below(entries[0], ''));
    const found = [];
    for (const entry of entries) found.push(...await below(entry, entry.name));
    return choose(found.length ? found : [...transfer.files].map((file) => ({ path: file.name, file })));
  }

  /** Files are read as those of several --from; what was dropped with folders, as one directory. */
  function choose(found) {
    if (!found.length) return undefined;
    const isDirectory = found.some(({ path }) => path.includes('/'));
    const name = isDirectory ? 'files' : found.map(({ path }) => path).join(', ');
    return read(name, isDirectory, found);
  }

  let nodeNames = [];
  async function read(name, isDirectory, found) {
    complain('');
    say(`reading ${plain(name)}…`);
    queue.hidden = pod.hidden = at('choices').hidden = true;
    delete document.documentElement.dataset.ready;
    await started;
    reading = found.map(({ file }) => file);
    assumed.cluster = [];
    assumed.pods.clear();
    const files = found.map(({ path, file }) => ({ path, size: file.size }));
    const question = { ask: 'read', name, isDirectory, files, present: new Date().toISOString() };
    const answer = await send({ question, lent: reading });
    reading = null;
    if (answer.answer === 'error') { say(''); complain(answer.problem); done(); return; }
    nodeNames = answer.nodeNames;
    drop.classList.add('small');
    at('choices').hidden = false;
    warnings = answer.warnings;
    readIn = `${plain(name)}: ${number(answer.nodes)} nodes, ${number(answer.pods)} pods`;
    history.replaceState(null, '', '#');
    await route();
  }
  let warnings = [], readIn = '';

  // ---- what is assumed ----

  // By the flags of `simulate`. Those of a pod mean the pod that is looked at.
  const KINDS = [
    ['--requests', 'the pod requests', 'cpu=500m,memory=1Gi', 'pod'],
    ['--priority', 'the pod has the priority or class', '1000', 'pod'],
    ['--toleration', 'the pod tolerates the taint', 'key=value:NoSchedule', 'pod'],
    ['--node-selector', 'the pod also selects the label', 'key=value', 'pod'],
    ['--preemption-policy', 'the pod has the preemption policy', 'Never', 'pod'],
    ['--add-node-like', 'there is one more node like', 'worker-1', 'node'],
    ['--cordon', 'cordoned is the node', 'worker-1', 'node'],
    ['--uncordon', 'not cordoned is the node', 'worker-1', 'node'],
    ['--drain', 'drained is the node', 'worker-1', 'node'],
    ['--remove-node', 'gone is the node', 'worker-1', 'node'],
    ['--label-node', 'a node has the label', 'worker-1:key=value', ''],
    ['--remove-taint', 'a node has lost the taint', 'worker-1:key', ''],
    ['--free', 'free on a node is also', 'worker-1:cpu=500m', ''],
    ['--remove-pod', 'gone is the pod', 'namespace/name', ''],
    ['--pdb', 'the budget allows disruptions', 'namespace/name=1', ''],
  ];
  const assumed = { cluster: [], pods: new Map() };
  const isOfPod = (flag) => KINDS.some(([known, , , of]) => known === flag && of === 'pod');
  const key = () => (shownPod ? JSON.stringify(shownPod) : '');
  const ofPod = () => assumed.pods.get(key()) ?? [];
  const whatIf = () => [...(shownPod ? ofPod() : []), ...assumed.cluster];

  function offerKinds() {
    const before = kind.value;
    kind.replaceChildren(...KINDS.filter(([, , , of]) => shownPod || of !== 'pod').map(([flag, words]) => new Option(words, flag)));
    kind.value = before;
    if (!kind.value) kind.selectedIndex = 0;
    offerValues();
  }

  function offerValues() {
    const [, words, example, of] = KINDS.find(([flag]) => flag === kind.value);
    value.placeholder = example;
    at('value-label').textContent = `${words}:`;
    at('value-label').className = 'hidden';
    at('proposals').replaceChildren(...(of === 'node' ? nodeNames.map((name) => new Option(name)) : []));
  }

  function listAssumed() {
    at('assumed').replaceChildren(...whatIf().map(([flag, text]) => {
      const words = `${KINDS.find(([known]) => known === flag)[1]} ${plain(text)}`;
      const button = make('button', { type: 'button', 'aria-label': `No longer assume: ${words}` }, `✕ ${words}`);
      button.addEventListener('click', () => {
        const without = (list) => list.filter(([f, t]) => f !== flag || t !== text);
        if (isOfPod(flag)) assumed.pods.set(key(), without(ofPod()));
        else assumed.cluster = without(assumed.cluster);
        value.focus();
        route();
      });
      return make('li', {}, button);
    }));
  }

  at('add').addEventListener('submit', async (event) => {
    event.preventDefault();
    const added = [kind.value, value.value.trim()];
    if (!added[1]) { value.focus(); return; }
    const before = { cluster: assumed.cluster, pod: ofPod() };
    // A pod has one priority and one policy.
    const single = ['--priority', '--preemption-policy'].includes(added[0]);
    if (isOfPod(added[0])) assumed.pods.set(key(), [...ofPod().filter(([flag]) => !single || flag !== added[0]), added]);
    else assumed.cluster = [...assumed.cluster, added];
    if (await route()) { value.value = ''; return; }
    // What makes no sense is not assumed; the reason is shown, and what was typed can be corrected.
    const reason = at('problem').textContent;
    assumed.cluster = before.cluster;
    assumed.pods.set(key(), before.pod);
    await route();
    complain(reason);
    value.focus();
  });
  kind.addEventListener('change', offerValues);
  at('options').addEventListener('submit', (event) => { event.preventDefault(); route(); });

  // ---- other questions ----

  const QUESTIONS = [
    ['node', 'can these nodes go away?', 'worker-1', 'node'],
    ['loss', 'what if these nodes are gone at once?', 'node/worker-1, zone/b, rack=r1, or each zone', 'node'],
    ['suggest', 'what lets these pods in?', 'deploy/web, or nothing for every pending pod', ''],
    ['headroom', 'how many more of this fit?', 'cpu=4,memory=8Gi or deploy/web', ''],
    ['risk', 'which running pods can be preempted?', 'node/worker-1, deploy/web, or nothing for all', ''],
    ['simulate', 'who would be evicted for these pods?', 'deploy/web, or nothing for every pending pod', ''],
    ['nodesNeeded', 'how many new nodes do these pods need?', 'deploy/web, or nothing for every pending pod', ''],
    ['audit', 'what is surprising or dangerous?', '', ''],
    ['verify', 'did kube-scheduler write the same?', 'deploy/web, or nothing for every pending pod', ''],
    ['evictions', 'why is this pod gone?', 'web-1, or nothing for every eviction', ''],
    ['compare', 'what do other versions or gates decide?', '1.35,1.37 web-1, or now,NAME=true alone', ''],
    ['rules', 'what does this code or message mean?', 'PRE-302', ''],
  ];
  const question = at('question'), about = at('about');
  question.replaceChildren(...QUESTIONS.map(([name, words]) => new Option(words, name)));

  function offerAbout() {
    const [, words, example, of] = QUESTIONS.find(([name]) => name === question.value);
    about.placeholder = example;
    about.disabled = !example;
    at('about-label').textContent = words;
    at('proposals-about').replaceChildren(...(of === 'node' ? nodeNames.map((name) => new Option(name)) : []));
  }

  question.addEventListener('change', offerAbout);
  at('ask').addEventListener('submit', (event) => {
    event.preventDefault();
    const words = [question.value, at('in-namespace').value.trim(), about.disabled ? '' : about.value.trim()];
    const hash = `#ask/${words.map(encodeURIComponent).join('/')}`;
    if (location.hash === hash) route(); else location.hash = hash;
  });

  // ---- answers ----

  let shownPod = null, ends = new AbortController(), search = null, asking = 0;
  const options = () => ({ now: at('now').value.trim(), schedulerVersion: at('version').value.trim(), whatIf: whatIf() });

  function done() {
    document.documentElement.dataset.ready = '';
  }

  /** Shows what the address names: the queue, or a pod. Whether it could be decided. */
  async function route() {
    asking += 1;
    const mine = asking;
    const named = /^#pod\/([^/]+)\/(.+)$/.exec(location.hash);
    shownPod = named && named.slice(1).map(decodeURIComponent);
    const other = /^#ask\/([a-zA-Z]+)\/([^/]*)\/(.*)$/.exec(location.hash)?.slice(1).map(decodeURIComponent);
    delete document.documentElement.dataset.ready;
    complain('');
    say('deciding…');
    let asked = { ask: 'queue', ...options() };
    if (shownPod) asked = { ask: 'pod', namespace: shownPod[0], name: shownPod[1], ...options() };
    if (other) asked = { ask: 'other', question: other[0], namespace: other[1], about: other[2], ...options() };
    const answer = await send({ question: asked });
    // Something else was asked meanwhile.
    if (mine !== asking) return true;
    say(readIn);
    if (answer.answer === 'error') { complain(answer.problem); if (answer.stopped) at('choices').hidden = queue.hidden = pod.hidden = true; done(); return false; }
    ends.abort();
    ends = new AbortController();
    search = null;
    offerKinds();
    listAssumed();
    offerAbout();
    if (other) showOther(answer, other); else if (shownPod) showPod(answer); else showQueue(answer);
    done();
    return true;
  }

  function open(namespace, name) {
    location.hash = `pod/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
  }

  /** The documented JSON of what is shown, as a file. */
  function save(name, text) {
    const button = make('button', { type: 'button' }, 'Save as JSON');
    button.dataset.json = name;
    button.addEventListener('click', () => {
      const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
      make('a', { href: url, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(url), 10000);
    });
    window.answerAsJson = text;
    return button;
  }

  function assumes(words) {
    return words.length ? [make('p', { class: 'assumes' }, make('strong', {}, 'What if: '), words.join(', '), '. Not the real cluster.')] : [];
  }

  /** Links to other questions, each about something. For what still has to be named, the form is opened. */
  function further(...asked) {
    const links = asked.map(([name, about, namespace = '']) => {
      if (about === undefined) {
        const button = make('button', { type: 'button' }, QUESTIONS.find(([known]) => known === name)[1]);
        button.addEventListener('click', () => { at('other').open = true; question.value = name; offerAbout(); at('about').focus(); });
        return button;
      }
      const hash = `#ask/${[name, namespace, about].map(encodeURIComponent).join('/')}`;
      const [, words] = QUESTIONS.find(([known]) => known === name);
      return make('a', { class: 'button', href: hash }, about && !namespace ? `${plain(about)}: ${words}` : words);
    });
    return make('p', { class: 'buttons' }, ...links);
  }

  function link(row, name, text) {
    const button = make('button', { type: 'button', class: 'link' }, text);
    button.addEventListener('click', () => open(row.namespace, name));
    return button;
  }

  function showQueue(answer) {
    const head = make('h1', { id: 'queue-head', tabindex: -1 }, answer.rows.length ? answer.summary : 'No pods wait for a node.');
    const find = make('input', { type: 'search', placeholder: 'Search pods, causes, nodes  ( / )', 'aria-label': 'Search pending pods' });
    const shown = make('span', { class: 'quiet', role: 'status' });
    const body = make('tbody');
    const heads = ['Pod', 'Priority', 'Pending', 'Verdict', 'Node', 'Victims'];
    const table = make('table', { class: 'named' }, make('thead', {}, make('tr', {}, ...heads.map((text) => make('th', { scope: 'col', class: text === 'Priority' || text === 'Pending' ? 'number' : '' }, text)))), body);
    const cell = (label, text, kind = '') => make('td', { 'data-label': label, class: kind }, text);
    function draw() {
      const terms = find.value.trim().toLowerCase().split(/\s+/);
      const found = answer.rows.filter((row) => terms.every((term) => [row.shown, row.cause, row.verdict, row.node].join('\n').toLowerCase().includes(term)));
      body.replaceChildren(...found.slice(0, ROWS).map((row) => {
        const members = row.members.length ? row.members : [row.name];
        const first = make('td', { 'data-label': 'Pod' }, link(row, members[0], row.shown));
        if (row.cause) first.append(make('br'), make('span', { class: 'quiet' }, row.cause));
        // A group has a row, and each of its pods a page.
        if (row.members.length > 1) first.append(make('details', {}, make('summary', {}, `${number(row.members.length)} pods`), ...row.members.slice(0, ROWS).map((name) => make('div', {}, link(row, name, plain(name))))));
        return make('tr', {}, first, cell('Priority', String(row.priority), 'number'), cell('Pending', row.age, 'number'), cell('Verdict', row.verdict), cell('Node', row.node), cell('Victims', row.victims));
      }));
      shown.textContent = found.length > ROWS ? `the first ${number(ROWS)} of ${number(found.length)}: search for others` : `${number(found.length)} of ${number(answer.rows.length)}`;
      table.hidden = !found.length;
    }
    find.addEventListener('input', draw);
    find.addEventListener('keydown', (event) => { if (event.key === 'Escape' && find.value) { find.value = ''; draw(); event.preventDefault(); } });
    draw();
    const remarks = [...answer.lacks.map((text) => `The list may lack a pod: ${text}`), ...answer.notes, ...warnings.map(plain)];
    queue.replaceChildren(head, ...assumes(answer.assumed),
      make('p', { class: 'quiet' }, `rules: kube-scheduler ${answer.rules} · as of ${answer.asOf}`),
      ...(answer.rows.length ? [make('div', { class: 'tools' }, find, shown, save('pending.json', answer.json)), table] : [save('pending.json', answer.json)]),
      further(['simulate', ''], ['suggest', ''], ['risk', ''], ['audit', ''], ['node'], ['headroom'], ['loss', 'each zone']),
      ...(remarks.length ? [make('details', { open: '' }, make('summary', {}, make('h2', {}, 'Notes')), make('ul', {}, ...remarks.map((text) => make('li', {}, text))))] : []));
    search = find;
    pod.hidden = true;
    pod.replaceChildren();
    queue.hidden = false;
    head.focus({ preventScroll: true });
    document.title = answer.rows.length ? answer.summary : 'No pods wait for a node';
  }

  function showPod(answer) {
    const back = make('button', { type: 'button', class: 'link' }, '← All pending pods');
    back.addEventListener('click', () => { location.hash = ''; });
    const markup = make('div');
    markup.innerHTML = answer.html;
    const [namespace, name] = shownPod, nodes = answer.nodes.map((node) => ['node', node]);
    const about = ['headroom', 'simulate', 'suggest', 'verify'].map((question) => [question, `pod/${name}`, namespace]);
    pod.replaceChildren(make('p', { class: 'buttons' }, back, save('explain.json', answer.json)), ...assumes(answer.assumed), markup, further(...about, ...nodes));
    queue.hidden = true;
    queue.replaceChildren();
    pod.hidden = false;
    copyButtons(markup);
    pictures(markup);
    const home = markup.querySelector('.explorer');
    if (home) {
      const every = explorer(JSON.parse(answer.data), home, 0, ends.signal);
      search = every.search;
      every.later();
    }
    const head = markup.querySelector('h1');
    head.tabIndex = -1;
    head.focus({ preventScroll: true });
    document.title = head.textContent;
  }

  function showOther(answer, [name, , text]) {
    const back = make('button', { type: 'button', class: 'link' }, '← All pending pods');
    back.addEventListener('click', () => { location.hash = ''; });
    const words = QUESTIONS.find(([known]) => known === name)?.[1] ?? name;
    const head = make('h1', { tabindex: -1 }, text ? `${plain(text)}: ${words}` : words);
    const markup = make('div', { class: 'report' });
    markup.innerHTML = answer.html;
    pod.replaceChildren(make('p', { class: 'buttons' }, back, save(`${name}.json`, answer.json)), ...assumes(answer.assumed), head, markup);
    queue.hidden = true;
    queue.replaceChildren();
    pod.hidden = false;
    copyButtons(markup);
    pictures(markup);
    head.focus({ preventScroll: true });
    document.title = head.textContent;
  }

  // ---- what is dropped, chosen and pressed ----

  addEventListener('dragover', (event) => { event.preventDefault(); drop.classList.add('over'); });
  addEventListener('dragleave', (event) => { if (!event.relatedTarget) drop.classList.remove('over'); });
  addEventListener('drop', (event) => { event.preventDefault(); drop.classList.remove('over'); dropped(event.dataTransfer); });
  /** What was chosen. The same file can be chosen again, when it has changed. */
  function chosen(input) {
    const files = [...input.files];
    input.value = '';
    return files;
  }
  at('files').addEventListener('change', (event) => choose(chosen(event.target).map((file) => ({ path: file.name, file }))));
  at('folder').addEventListener('change', (event) => {
    const files = chosen(event.target);
    if (!files.length) return;
    const [name] = files[0].webkitRelativePath.split('/');
    read(name, true, files.map((file) => ({ path: file.webkitRelativePath.slice(name.length + 1), file })));
  });
  at('try').addEventListener('click', () => {
    read('cluster.yaml', false, [{ path: 'cluster.yaml', file: new File([at('example').textContent], 'cluster.yaml') }]);
  });
  addEventListener('hashchange', () => { if (!at('choices').hidden) route(); });
  searchBySlash(() => search);
  copyButtons(document);
  unfoldOnPaper();
  started.then((answer) => { if (answer.answer === 'error') complain(answer.problem); else document.documentElement.dataset.started = ''; });
})();
