// The page: sliders on the left, the character on the right. `openParts` and `bytesOf` come from evaluate.js.
import * as THREE from "three";

const find = (id) => document.getElementById(id);
const description = JSON.parse(find("description").textContent);
const buffer = bytesOf(find("numbers").textContent);
const parts = openParts(description, buffer);
// #set=CTRL_C_jaw.ty:1,…  &view=yaw,pitch,nearer  &joints  &bare (no panel)  &test (writes numbers into the page)
const wishes = new URLSearchParams(location.hash.slice(1));

// ---- sliders -------------------------------------------------------------------------------------------------------

const REGIONS = ["brow", "eye", "eyelashes", "ear", "nose", "mouth", "tongue", "teeth", "jaw", "neck", "other", "switches"];
const sliders = [];

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function addSlider(part, number, group) {
  const { name, min, max, side } = part.sliders[number];
  const id = `slider${sliders.length}`;
  const input = element("input", { id, type: "range", min, max, step: (max - min) / 200, value: 0 });
  const output = element("output", { htmlFor: id, textContent: "0" });
  const label = element("label", { htmlFor: id, textContent: name.replace(/^CTRL_/, ""), title: name });
  const line = element("div", { className: `slider ${side}` }, label, input, output);
  const slider = { name, min, max, line, group, set, reset: () => set(0) };
  function set(value) {
    part.values[number] = Math.min(max, Math.max(min, value));
    input.value = part.values[number];
    output.textContent = String(Math.round(part.values[number] * 100) / 100);
    line.classList.toggle("moved", part.values[number] !== 0);
    moved.add(part);
    draw();
  }
  input.addEventListener("input", () => set(Number(input.value)));
  input.addEventListener("keydown", (event) => {
    if (event.key === "Delete" || event.key === "Backspace") set(0);
  });
  label.addEventListener("dblclick", () => set(0));
  group.append(line);
  sliders.push(slider);
}

function addSliders() {
  for (const part of parts.filter((part) => part.sliders)) {
    for (const region of REGIONS) {
      const own = part.sliders.map((slider, number) => [slider, number]).filter(([slider]) => slider.region === region);
      if (own.length === 0) continue;
      const group = element("details", { open: true }, element("summary", { textContent: region }));
      own.forEach(([, number]) => addSlider(part, number, group));
      find("sliders").append(group);
    }
  }
  if (sliders.length === 0) find("sliders").textContent = "This character has no face board.";
}

function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  for (const slider of sliders) {
    slider.line.hidden = !words.every((word) => slider.name.toLowerCase().includes(word));
  }
  for (const group of find("sliders").children) group.hidden = !group.querySelector(".slider:not([hidden])");
}

function reset() {
  sliders.forEach((slider) => slider.reset());
}

function showMaps() {
  const lines = [];
  for (const part of parts.filter((part) => part.maps)) {
    part.mapNames.forEach((name, map) => part.maps[map] > 0.0005 && lines.push([name, part.maps[map]]));
  }
  lines.sort((a, b) => b[1] - a[1]);
  const line = ([name, value]) =>
    element("div", {}, element("span", { textContent: name }), element("span", { textContent: value.toFixed(2) }));
  find("maps").replaceChildren(...lines.slice(0, 20).map(line));
  find("maps").hidden = lines.length === 0;
}

// ---- the character -------------------------------------------------------------------------------------------------

const scene = new THREE.Scene();
scene.background = new THREE.Color(0x2a2d33);
const thin = new THREE.Group();
const solid = new THREE.Group();
const bones = new THREE.Group();
bones.visible = false;
scene.add(solid, thin, bones);
const shown = [];
const moved = new Set();

function materialOf(look) {
  if (look.hidden) {
    return new THREE.MeshStandardMaterial({ color: 0xffffff, transparent: true, opacity: 0.12, roughness: 0.1, depthWrite: false });
  }
  if (look.eye) {
    const material = new THREE.MeshStandardMaterial({ color: 0xe6e1dc, roughness: 0.15 });
    // Iris and pupil, by the direction in which a point lies from the middle of the eye at rest.
    material.onBeforeCompile = (shader) => {
      shader.vertexShader = "attribute vec3 fromMiddle; varying vec3 vFromMiddle;\n" +
        shader.vertexShader.replace("#include <begin_vertex>", "#include <begin_vertex>\nvFromMiddle = fromMiddle;");
      shader.fragmentShader = "varying vec3 vFromMiddle;\n" +
        shader.fragmentShader.replace("#include <color_fragment>", `#include <color_fragment>
          float ahead = normalize(vFromMiddle).z;
          diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.10, 0.16, 0.14), smoothstep(0.865, 0.885, ahead));
          diffuseColor.rgb = mix(diffuseColor.rgb, vec3(0.01), smoothstep(0.978, 0.984, ahead));`);
    };
    return material;
  }
  const material = new THREE.MeshStandardMaterial({ roughness: 0.75 - look.gloss, side: THREE.DoubleSide });
  material.color.setRGB(...look.color);
  return material;
}

function addMeshes() {
  for (const part of parts) {
    for (const mesh of part.meshes) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.BufferAttribute(mesh.positions, 3));
      geometry.setIndex(new THREE.BufferAttribute(mesh.triangles, 1));
      if (mesh.look.eye) {
        const from = mesh.rest.map((value, at) => value - mesh.look.eye[at % 3]);
        for (let at = 0; at < from.length; at += 3) part.place(part.upright, from, at);
        geometry.setAttribute("fromMiddle", new THREE.BufferAttribute(from, 3));
      }
      const node = new THREE.Mesh(geometry, materialOf(mesh.look));
      node.frustumCulled = false;
      (mesh.look.hidden ? thin : solid).add(node);
      shown.push({ part, mesh, geometry, node });
    }
    addBones(part);
  }
}

function addBones(part) {
  const pairs = [];
  part.parents.forEach((parent, joint) => parent >= 0 && pairs.push([parent, joint]));
  const lines = new THREE.BufferGeometry();
  lines.setAttribute("position", new THREE.BufferAttribute(new Float32Array(pairs.length * 6), 3));
  const points = new THREE.BufferGeometry();
  points.setAttribute("position", new THREE.BufferAttribute(new Float32Array(part.world.length * 3), 3));
  const over = { depthTest: false, transparent: true };
  const nodes = [
    new THREE.LineSegments(lines, new THREE.LineBasicMaterial({ color: 0x66d9a0, opacity: 0.75, ...over })),
    new THREE.Points(points, new THREE.PointsMaterial({ color: 0xfff3a0, size: 3, sizeAttenuation: false, ...over })),
  ];
  nodes.forEach((node, order) => {
    node.frustumCulled = false;
    node.renderOrder = 10 + order;
    bones.add(node);
  });
  part.moveBones = () => {
    const at = (joint) => [part.world[joint][3], part.world[joint][7], part.world[joint][11]];
    pairs.forEach(([parent, joint], pair) => lines.attributes.position.array.set([...at(parent), ...at(joint)], pair * 6));
    part.world.forEach((_, joint) => points.attributes.position.array.set(at(joint), joint * 3));
    lines.attributes.position.needsUpdate = points.attributes.position.needsUpdate = true;
  };
  part.moveBones();
}

/** Vertices and normals of what moved; where head and body meet both sides have one normal. */
function update(changed) {
  for (const { part, geometry } of shown) {
    if (!changed.has(part)) continue;
    geometry.attributes.position.needsUpdate = true;
    geometry.computeVertexNormals();
    // What is blended below starts from these, however often only the other side changes.
    const { normal } = geometry.attributes;
    normal.unblended = normal.array.slice();
  }
  changed.forEach((part) => part.moveBones());
  if (!description.seam || parts.length < 2) return;
  const [kind, start, count] = description.seam;
  const seam = new ARRAYS[kind](buffer, start, count);
  const normals = (part, number) =>
    shown.find((own) => own.part === part && own.mesh.number === number)?.geometry.attributes.normal;
  for (let at = 0; at < seam.length; at += 4) {
    const [head, body] = [normals(parts[0], seam[at]), normals(parts[1], seam[at + 2])];
    if (!head || !body) continue;
    const [a, b] = [seam[at + 1] * 3, seam[at + 3] * 3];
    const sum = [0, 1, 2].map((axis) => head.unblended[a + axis] + body.unblended[b + axis]);
    const length = Math.hypot(...sum) || 1;
    head.array.set(sum.map((value) => value / length), a);
    body.array.set(sum.map((value) => value / length), b);
    head.needsUpdate = body.needsUpdate = true;
  }
}

// ---- the camera ----------------------------------------------------------------------------------------------------

const canvas = document.querySelector("canvas");
const camera = new THREE.PerspectiveCamera(24, 1, 1, 5000);
const orbit = { yaw: 0, pitch: 0, distance: 100, target: new THREE.Vector3() };

function frontView() {
  const box = new THREE.Box3();
  const faces = shown.filter(({ part }) => part.sliders);
  const wanted = faces.length > 0 ? faces : shown;
  wanted.forEach(({ mesh }) => box.union(new THREE.Box3().setFromArray(mesh.positions)));
  box.getCenter(orbit.target);
  Object.assign(orbit, { yaw: 0, pitch: 0, distance: box.getSize(new THREE.Vector3()).length() * 2.2 });
}

function placeCamera() {
  const { yaw, pitch, distance, target } = orbit;
  const flat = Math.cos(pitch) * distance;
  camera.position.set(
    target.x + Math.sin(yaw) * flat, target.y + Math.sin(pitch) * distance, target.z + Math.cos(yaw) * flat,
  );
  camera.lookAt(target);
}

function turn(yaw, pitch) {
  orbit.yaw += yaw;
  orbit.pitch = Math.min(1.55, Math.max(-1.55, orbit.pitch + pitch));
  draw();
}

function nearer(factor) {
  orbit.distance = Math.min(3000, Math.max(5, orbit.distance * factor));
  draw();
}

function pan(x, y) {
  const scale = (orbit.distance * Math.tan((camera.fov * Math.PI) / 360) * 2) / canvas.clientHeight;
  const axes = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
  camera.matrix.extractBasis(...axes);
  orbit.target.addScaledVector(axes[0], -x * scale).addScaledVector(axes[1], y * scale);
  draw();
}

canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
canvas.addEventListener("contextmenu", (event) => event.preventDefault());
canvas.addEventListener("pointermove", (event) => {
  if (event.buttons === 0) return;
  if (event.shiftKey || event.buttons !== 1) pan(event.movementX, event.movementY);
  else turn(-event.movementX * 0.008, event.movementY * 0.008);
});
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  nearer(Math.exp(event.deltaY * 0.001));
}, { passive: false });
addEventListener("keydown", (event) => {
  if (event.target.id === "search") {
    if (event.key === "Escape") {
      event.target.value = "";
      search("");
      event.target.blur();
    }
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const onSlider = event.target.type === "range" && event.key.startsWith("Arrow");
  const toggle = (id) => find(id).click();
  const keys = {
    arrowleft: () => turn(-0.1, 0), arrowright: () => turn(0.1, 0), arrowup: () => turn(0, 0.1), arrowdown: () => turn(0, -0.1),
    "+": () => nearer(0.9), "=": () => nearer(0.9), "-": () => nearer(1.1),
    r: reset, j: () => toggle("joints"), w: () => toggle("wire"), e: () => toggle("thin"),
    f: () => { frontView(); draw(); },
    "/": () => find("search").focus(),
  };
  const run = keys[event.key.toLowerCase()];
  if (onSlider || !run) return;
  event.preventDefault();
  run();
});
find("search").addEventListener("input", (event) => search(event.target.value));
find("reset").addEventListener("click", reset);
find("joints").addEventListener("change", (event) => { bones.visible = event.target.checked; draw(); });
find("thin").addEventListener("change", (event) => { thin.visible = event.target.checked; draw(); });
find("wire").addEventListener("change", (event) => {
  shown.forEach(({ node }) => (node.material.wireframe = event.target.checked));
  draw();
});
addEventListener("resize", () => draw());

// ---- drawing -------------------------------------------------------------------------------------------------------

let renderer = null;
let isAsked = false;

function draw() {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => {
    isAsked = false;
    drawNow();
  });
}

function drawNow() {
  const leader = parts.at(-1);
  if (moved.has(leader)) parts.forEach((part) => moved.add(part));
  // The leader first: the others take its joints.
  const changed = new Set([...parts].reverse().filter((part) => moved.has(part)));
  moved.clear();
  changed.forEach((part) => part.evaluate());
  if (changed.size > 0) {
    update(changed);
    showMaps();
  }
  if (!renderer) return;
  const { clientWidth: width, clientHeight: height } = canvas;
  renderer.setPixelRatio(window.devicePixelRatio);
  renderer.setSize(width, height, false);
  camera.aspect = width / Math.max(1, height);
  camera.updateProjectionMatrix();
  placeCamera();
  renderer.render(scene, camera);
}

function complain(text) {
  find("trouble").append(element("div", { textContent: text }));
  find("trouble").hidden = false;
}

function openRenderer() {
  const key = new THREE.DirectionalLight(0xfff4e8, 2.2);
  key.position.set(60, 90, 120);
  const rim = new THREE.DirectionalLight(0xbfd4ff, 1.2);
  rim.position.set(-90, 60, -60);
  scene.add(key, rim, new THREE.HemisphereLight(0xdfe8ff, 0x4a3c34, 1.1));
  try {
    renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
  } catch (error) {
    complain("This browser draws no 3D graphics (WebGL): " + error.message);
  }
}

// ---- wishes --------------------------------------------------------------------------------------------------------

/** The number that a text is, or NaN; an empty text is none. */
const numberOf = (text) => (text.trim() === "" ? NaN : Number(text));

function setSliders(text) {
  for (const wish of text.split(",").filter(Boolean)) {
    const at = wish.lastIndexOf(":");
    const [name, value] = [wish.slice(0, Math.max(0, at)), numberOf(wish.slice(at + 1))];
    const slider = sliders.find((slider) => slider.name === name);
    if (at < 0) complain(`set: ${wish} is not of the form NAME:VALUE`);
    else if (!slider) complain(`set: no slider is called ${name}`);
    else if (!Number.isFinite(value)) complain(`set: ${wish.slice(at + 1) || "nothing"} is no number for ${name}`);
    else {
      slider.set(value);
      const { min, max } = slider;
      if (value < min || value > max) complain(`set: ${name} goes from ${min} to ${max}, not to ${value}`);
    }
  }
  sliders.find((slider) => slider.line.classList.contains("moved"))?.line.scrollIntoView({ block: "center" });
}

function setView(text) {
  const numbers = text.split(",").map(numberOf);
  const [yaw, pitch = 0, near = 1] = numbers;
  if (numbers.length > 3 || !numbers.every(Number.isFinite) || near <= 0) {
    complain(`view: ${text || "nothing"} is not of the form YAW,PITCH,NEARER: degrees, and a number above 0`);
    return;
  }
  const radians = Math.PI / 180;
  turn(yaw * radians, pitch * radians);
  nearer(1 / near);
}

/** How far a normal gets when a part is drawn again although nothing moved. */
function drift() {
  const normals = () => shown.map(({ geometry }) => geometry.attributes.normal.array.slice());
  const before = normals();
  let most = 0;
  for (const part of parts) {
    update(new Set([part]));
    normals().forEach((own, mesh) => own.forEach((c, at) => (most = Math.max(most, Math.abs(c - before[mesh][at])))));
  }
  return most;
}

/** Numbers for a test: positions of all meshes, in the world with +Y up, cm. */
function report() {
  const meshes = parts.flatMap((part) =>
    part.meshes.map(({ name, positions }) => ({ part: part.kind, name, positions: Array.from(positions, (c) => Math.round(c * 1e5) / 1e5) })));
  const raw = parts.filter((part) => part.sliders).flatMap((part) =>
    part.rawNames.map((name, control) => [name, part.controls[control]]).filter(([, value]) => value !== 0));
  const trouble = Array.from(find("trouble").children, (line) => line.textContent);
  find("result").textContent = JSON.stringify({
    drawn: renderer?.info.render.triangles ?? 0, raw, meshes, trouble, camera: camera.position.toArray(), drift: drift(),
  });
}

addMeshes();
addSliders();
thin.visible = false;
frontView();
openRenderer();
setSliders(wishes.get("set") ?? "");
if (wishes.has("view")) setView(wishes.get("view"));
if (wishes.has("joints")) find("joints").click();
if (wishes.has("bare")) document.body.classList.add("bare");
parts.forEach((part) => moved.add(part));
drawNow();
if (wishes.has("test")) report();
