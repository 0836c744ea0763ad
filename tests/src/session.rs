use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use fake_maya::{BuildError, EpicRelease, FakeMaya, Host, MeshDump, Reply, build, mel_string};
use mhrig::{Cancel, DemoRequest, Job, Silent, Status};

use crate::Plugin;

/// Where things that tests share are built and kept.
fn shared_dir() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    // target/<profile>/deps/<program>: the folder is shared by all test programs of the profile.
    let dir = program.ancestors().nth(2).unwrap_or(Path::new(".")).join("mhrig-e2e");
    let made = std::fs::create_dir_all(&dir);
    assert!(made.is_ok(), "{}: {made:?}", dir.display());
    dir
}

/// The demo human's archetype and one character, written once.
#[derive(Clone, Debug)]
pub struct Demo {
    /// The archetype folder.
    pub archetype: PathBuf,
    /// Folder of the character's OBJ files, and `scene.ma`.
    pub character: PathBuf,
    /// The true joints.
    pub truth: PathBuf,
    /// The character's meshes in the host's form: name and dump, by name.
    pub meshes: Vec<(String, MeshDump)>,
    /// Where the dumps are.
    dumps: PathBuf,
}

impl Demo {
    /// The demo, written at the first call of a test program.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn get() -> &'static Self {
        static DEMO: OnceLock<Demo> = OnceLock::new();
        DEMO.get_or_init(Self::write)
    }

    fn write() -> Self {
        // Under the name of this program, which changes with the code; written anew by each run.
        let program = std::env::current_exe().unwrap_or_default();
        let dumps = shared_dir().join(program.file_name().unwrap_or_default());
        let _ = std::fs::remove_dir_all(&dumps);
        let dir = dumps.join("demo");
        let job = Job { progress: &Silent, cancel: &Cancel::default() };
        let request = DemoRequest::new(dir);
        let report = mhrig::demo(&request, job);
        assert_eq!(report.status, Status::Ok, "{:?}", report.findings);
        let Some(details) = report.details else { panic!("the demo has no details") };
        let mut demo = Self {
            archetype: details.archetype_dir,
            character: details.character_dir,
            truth: details.truth,
            meshes: Vec::new(),
            dumps,
        };
        demo.meshes = demo.read_meshes();
        for (name, mesh) in &demo.meshes {
            must(mesh.write(&demo.dump_file(name)));
        }
        demo
    }

    /// The dump of one mesh.
    pub fn dump_file(&self, name: &str) -> PathBuf {
        self.dumps.join(format!("{name}.mesh"))
    }

    fn read_meshes(&self) -> Vec<(String, MeshDump)> {
        let mut meshes = Vec::new();
        for entry in must(std::fs::read_dir(&self.character)).flatten() {
            let path = entry.path();
            if path.extension().is_some_and(|extension| extension == "obj") {
                let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                meshes.push((name, obj(&must(std::fs::read_to_string(&path)))));
            }
        }
        meshes.sort_by(|a, b| a.0.cmp(&b.0));
        meshes
    }
}

pub(crate) fn must<T, E: std::fmt::Display>(result: Result<T, E>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

/// A plain reader of what the product writes, on purpose not the product's own.
fn obj(text: &str) -> MeshDump {
    let mut mesh = MeshDump::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let kind = words.next();
        match kind {
            Some("v") => mesh.points.extend(words.take(3).map(|word| must(word.parse::<f32>()))),
            Some("vt") => {
                let uv: Vec<f32> = words.take(2).map(|word| must(word.parse())).collect();
                mesh.u.push(uv[0]);
                mesh.v.push(uv[1]);
            }
            Some("f") => {
                let (mut size, mut uvs) = (0, 0);
                for corner in words {
                    let mut parts = corner.split('/').map(str::parse::<i32>);
                    mesh.corners.push(must(parts.next().unwrap_or(Ok(0))) - 1);
                    size += 1;
                    if let Some(Ok(uv)) = parts.next() {
                        mesh.uv_corners.push(uv - 1);
                        uvs += 1;
                    }
                }
                mesh.face_sizes.push(size);
                mesh.uv_sizes.push(uvs);
            }
            _ => {}
        }
    }
    mesh
}

/// A running host with the plug-in loaded.
pub struct Session {
    /// The host.
    pub host: Host,
    /// The year's stand-in.
    pub maya: FakeMaya,
    /// The plug-in.
    pub plugin: Plugin,
}

impl Session {
    /// The stand-in of `year`; `None`, after having said so, where it cannot be built at all.
    ///
    /// # Panics
    /// When it should be possible to build it and it is not.
    pub fn stand_in(test: &str, year: u16) -> Option<FakeMaya> {
        match build(year, &shared_dir()) {
            Ok(maya) => Some(maya),
            Err(error @ (BuildError::Platform | BuildError::NoCompiler(_))) => {
                mhrig_testkit::skip(test, &error.to_string());
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// Starts a host and loads the plug-in.
    ///
    /// # Panics
    /// When the plug-in does not load.
    pub fn start(test: &str, plugin: &Plugin, interactive: bool) -> Option<Self> {
        Self::start_with(test, plugin, interactive, &[])
    }

    /// The same, with variables added to the host's environment.
    ///
    /// # Panics
    /// As [`Session::start`].
    pub fn start_with(
        test: &str,
        plugin: &Plugin,
        interactive: bool,
        variables: &[(&str, &str)],
    ) -> Option<Self> {
        let maya = Self::stand_in(test, plugin.year)?;
        let host = must(Host::start_with(&maya, interactive, variables));
        let mut session = Self { host, maya, plugin: plugin.clone() };
        session.ok(&format!("loadPlugin {}", mel_string(&plugin.path.display().to_string())));
        Some(session)
    }

    /// Loads what stands in for Epic's plug-in, in the form of older or newer releases.
    ///
    /// # Panics
    /// When it cannot be built or does not load.
    pub fn load_epic(&mut self, is_newer: bool, dir: &Path) {
        let release = if is_newer { EpicRelease::Newer } else { EpicRelease::Documented };
        self.load_epic_release(release, dir);
    }

    /// The same, in any form.
    ///
    /// # Panics
    /// As [`Session::load_epic`].
    pub fn load_epic_release(&mut self, release: EpicRelease, dir: &Path) {
        let plugin = must(self.maya.epic_plugin(release, dir));
        self.ok(&format!("loadPlugin {}", mel_string(&plugin.display().to_string())));
    }

    /// Runs a line that may fail.
    ///
    /// # Panics
    /// When the host dies.
    pub fn mel(&mut self, line: &str) -> Reply {
        must(self.host.mel(line))
    }

    /// Runs a line that must succeed.
    ///
    /// # Panics
    /// When it fails.
    pub fn ok(&mut self, line: &str) -> Reply {
        let reply = self.mel(line);
        assert!(reply.ok, "{line}\n{:#?}", reply.errors);
        reply
    }

    /// Runs a line that must fail, with a message of this code.
    ///
    /// # Panics
    /// When it succeeds or says something else.
    pub fn refused(&mut self, line: &str, code: &str) -> Reply {
        let reply = self.mel(line);
        assert!(!reply.ok, "{line} was not refused");
        let expected = format!("MhRigCreator: error[{code}]: ");
        let said = reply.errors.iter().any(|error| error.starts_with(&expected));
        assert!(said, "{line}\nexpected {expected}\nfound {:#?}", reply.errors);
        reply
    }

    /// Runs a line with `-json` and reads its result.
    ///
    /// # Panics
    /// When it fails or returns no JSON.
    pub fn json(&mut self, line: &str) -> serde_json::Value {
        let reply = self.ok(line);
        must(serde_json::from_str(&reply.text()))
    }

    /// A number for the whole scene: the same scene, the same number.
    pub fn hash(&mut self) -> String {
        self.ok("fakeHash").text()
    }

    /// Loads a mesh of the demo.
    pub fn load_mesh(&mut self, demo: &Demo, name: &str, as_name: &str, parent: &str) -> String {
        let file = mel_string(&demo.dump_file(name).display().to_string());
        let parent = if parent.is_empty() { String::new() } else { format!("-parent {parent}") };
        self.ok(&format!("fakeMesh {parent} {as_name} {file}")).text()
    }

    /// Loads all meshes of the demo.
    pub fn load_character(&mut self, demo: &Demo) {
        for (name, _) in &demo.meshes {
            self.load_mesh(demo, name, name, "");
        }
    }

    /// Builds the skeleton of the truth's joints, flat: each joint at the top, at an offset from where it belongs.
    pub fn load_flat_skeleton(&mut self, names: &[String]) {
        for name in names {
            self.ok(&format!("createNode joint -n {name}; setAttr {name}.t 1 2 3"));
        }
    }
}
