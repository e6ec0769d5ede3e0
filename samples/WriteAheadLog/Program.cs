using WriteAheadLog;

// A store of keys and values that survives being killed. Commands on the input: "set KEY VALUE", "get KEY", "count".
if (args is not [var path])
{
    Console.Error.WriteLine("Usage: WriteAheadLog FILE");
    return 1;
}

await using Store store = Store.Open(path);
Console.WriteLine($"replayed {store.Count}, cut off {store.CutOff} bytes");
while (Console.ReadLine() is { } line)
{
    string[] words = line.Split(' ', 3);
    switch (words)
    {
        case ["set", var key, var value]:
            await store.SetAsync(key, value);
            Console.WriteLine($"ok {key}");
            break;
        case ["get", var key]:
            Console.WriteLine(store.Get(key) ?? "(none)");
            break;
        case ["count"]:
            Console.WriteLine(store.Count);
            break;
        default:
            Console.WriteLine("set KEY VALUE | get KEY | count");
            break;
    }
}

return 0;
