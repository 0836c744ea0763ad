// usage: node check.mjs NODE_MODULES FILE.glb [BROWSER]
// Runs the Khronos validator on a file; with a browser, three.js loads, poses and draws it there too. Exit code 1 when either
// complains.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, normalize, resolve } from "node:path";

const [modules, file, browser] = process.argv.slice(2);
const SECONDS = 120;

async function validate() {
  const validator = createRequire(resolve(modules, "x.js"))("gltf-validator");
  const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), { maxIssues: 1000 });
  const { numErrors, numWarnings, numInfos, messages } = report.issues;
  console.log(`${file}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos`);
  const seen = new Map();
  for (const message of messages) {
    const known = seen.get(message.code) ?? { ...message, count: 0 };
    seen.set(message.code, { ...known, count: known.count + 1 });
  }
  for (const { code, severity, message, pointer, count } of seen.values()) {
    console.log(`  ${["error", "warning", "info", "hint"][severity]} ${code} × ${count}: ${message} (${pointer})`);
  }
  return numErrors === 0;
}

const PAGE = `<!DOCTYPE html>
<script type="importmap">{"imports":{"three":"/three/build/three.module.js"}}</script>
<script type="module">
const tell = (result) => fetch("/result", { method: "POST", body: JSON.stringify(result) });
addEventListener("error", (event) => tell({ error: event.message }));
addEventListener("unhandledrejection", (event) => tell({ error: String(event.reason) }));
const THREE = await import("three");
const { GLTFLoader } = await import("/three/examples/jsm/loaders/GLTFLoader.js");
const gltf = await new GLTFLoader().loadAsync("/file.glb");
const found = { meshes: 0, skinned: 0, bones: 0, morphs: 0, vertices: 0, clips: gltf.animations.length };
gltf.scene.traverse((node) => {
  if (node.isBone) found.bones++;
  if (!node.isMesh) return;
  found.meshes++;
  if (node.isSkinnedMesh) found.skinned++;
  found.vertices += node.geometry.attributes.position.count;
  found.morphs = Math.max(found.morphs, node.geometry.morphAttributes.position?.length ?? 0);
});
const mixer = new THREE.AnimationMixer(gltf.scene);
const weights = () => {
  let sum = 0;
  gltf.scene.traverse((node) => node.morphTargetInfluences?.forEach((weight) => (sum += weight)));
  return sum;
};
gltf.animations.forEach((clip) => mixer.clipAction(clip).play());
for (let time = 0, most = 0; time < 4; time += 0.1) {
  mixer.setTime(time);
  found.weight = most = Math.max(most, weights());
}
gltf.scene.updateMatrixWorld(true);
const box = new THREE.Box3().setFromObject(gltf.scene, true);
found.height = box.max.y - box.min.y;
const canvas = document.createElement("canvas");
const renderer = new THREE.WebGLRenderer({ canvas });
renderer.setSize(256, 256, false);
const scene = new THREE.Scene();
scene.add(gltf.scene, new THREE.AmbientLight(0xffffff, 3));
const camera = new THREE.PerspectiveCamera(40, 1, 0.01, 100);
camera.position.set(0, (box.max.y + box.min.y) / 2, found.height * 1.8);
renderer.render(scene, camera);
found.triangles = renderer.info.render.triangles;
const pixels = new Uint8Array(256 * 256 * 4);
renderer.getContext().readPixels(0, 0, 256, 256, 6408, 5121, pixels);
found.drawn = pixels.filter((value, at) => at % 4 === 0 && value > 20).length;
tell(found);
</script>`;

function serve(finish) {
  const types = { js: "text/javascript", glb: "model/gltf-binary" };
  return createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://host").pathname);
    if (path === "/result") {
      let body = "";
      request.on("data", (piece) => (body += piece));
      request.on("end", () => {
        response.end();
        finish(JSON.parse(body));
      });
      return;
    }
    try {
      const content = path === "/" ? PAGE : readFileSync(path === "/file.glb" ? file : join(modules, path));
      const type = path === "/" ? "text/html" : (types[path.split(".").pop()] ?? "text/plain");
      response.writeHead(200, { "content-type": type }).end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
}

async function load() {
  const profile = mkdtempSync(join(tmpdir(), "check-glb-"));
  let child;
  const result = await new Promise((finish) => {
    const server = serve(finish);
    server.listen(0, "127.0.0.1", () => {
      child = spawn(browser, [
        "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run", `--user-data-dir=${profile}`,
        "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--remote-debugging-port=0", `http://127.0.0.1:${server.address().port}/`,
      ], { stdio: "ignore", detached: true });
      child.on("error", (error) => finish({ error: error.message }));
      setTimeout(() => finish({ error: `no answer within ${SECONDS} s` }), SECONDS * 1000).unref();
    });
  });
  const ended = new Promise((done) => child.on("exit", done));
  try {
    if (child.pid) {
      // The whole group: what the browser has started writes into the profile too.
      process.kill(-child.pid, "SIGKILL");
      await ended;
    }
    rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  } catch (error) {
    console.error(`${profile} is left behind: ${error.message}`);
  }
  console.log(`three.js: ${JSON.stringify(result)}`);
  const { error, meshes, skinned, bones, morphs, weight, clips, height, drawn } = result;
  return !error && meshes > 0 && skinned === meshes && bones > 0 && morphs > 0 && weight > 0 && clips > 0 &&
    height > 1 && height < 3 && drawn > 500;
}

const isValid = await validate();
const isLoaded = browser ? await load() : true;
if (!isValid) console.error("the validator finds errors");
if (!isLoaded) console.error("three.js does not load the file as it is meant");
process.exit(isValid && isLoaded ? 0 : 1);
