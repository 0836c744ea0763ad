use std::fs;
use std::io;
use std::path::Path;

/// A mesh for the host's `fakeMesh` command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshDump {
    /// Three numbers a vertex, in the units and axes of the scene's inside (cm).
    pub points: Vec<f32>,
    /// Corners of each face.
    pub face_sizes: Vec<i32>,
    /// Vertex of each corner, face after face.
    pub corners: Vec<i32>,
    /// First texture coordinate of each UV.
    pub u: Vec<f32>,
    /// Second texture coordinate of each UV.
    pub v: Vec<f32>,
    /// Corners with a UV of each face: its size, or 0.
    pub uv_sizes: Vec<i32>,
    /// UV of each such corner.
    pub uv_corners: Vec<i32>,
}

impl MeshDump {
    /// Writes the mesh to `path` in the form that `fakeMesh` reads: for each field, in the order above, its length as
    /// a 64-bit number and its elements, little-endian.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut bytes = Vec::new();
        let mut put = |count: usize, elements: &mut dyn Iterator<Item = [u8; 4]>| {
            bytes.extend((count as u64).to_le_bytes());
            bytes.extend(elements.flatten());
        };
        put(self.points.len(), &mut self.points.iter().map(|n| n.to_le_bytes()));
        put(self.face_sizes.len(), &mut self.face_sizes.iter().map(|n| n.to_le_bytes()));
        put(self.corners.len(), &mut self.corners.iter().map(|n| n.to_le_bytes()));
        put(self.u.len(), &mut self.u.iter().map(|n| n.to_le_bytes()));
        put(self.v.len(), &mut self.v.iter().map(|n| n.to_le_bytes()));
        put(self.uv_sizes.len(), &mut self.uv_sizes.iter().map(|n| n.to_le_bytes()));
        put(self.uv_corners.len(), &mut self.uv_corners.iter().map(|n| n.to_le_bytes()));
        fs::write(path, bytes)
    }
}
