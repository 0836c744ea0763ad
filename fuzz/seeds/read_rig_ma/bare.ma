//Maya ASCII 2024 scene
//Codeset: UTF-8
requires maya "2024";
currentUnit -l centimeter -a degree -t film;
fileInfo "application" "MhRigCreator";
createNode displayLayerManager -n "layerManager";
// End of scene
