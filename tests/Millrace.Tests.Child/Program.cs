using System.Globalization;
using Millrace.Tests.Child;

// Commands come as arguments, work comes line by line on the input, answers go line by line to the output.
switch (args)
{
    case ["follow-truncations"]:
        await SlowReading.RunAsync(Console.In, Console.Out);
        return 0;
    case ["starve", var path]:
        await StarvedReading.RunAsync(path, Console.In, Console.Out);
        return 0;
    case ["strategy", var path]:
        await using (Millrace.FilePipeReader reader = Opening.Mapped(path))
        {
            Console.WriteLine($"{reader.Strategy}: {reader.StrategyReason}");
        }

        return 0;
    case ["count-reads", var path, var strategy, var portable]:
        Console.WriteLine(await CountedReads.RunAsync(path, Enum.Parse<Millrace.ReadStrategy>(strategy), bool.Parse(portable)));
        return 0;
    case ["count-writes", var path, var kind, var chunks]:
        Console.WriteLine(await CountedWrites.RunAsync(path, WriterKind.Of(kind), chunks));
        return 0;
    case ["small-files", var folder]:
        SmallFiles.Run(folder);
        return 0;
    case ["uncached-read", var folder, var way, var keep]:
        Console.WriteLine(await Uncached.RunAsync(folder, way, bool.Parse(keep)));
        return 0;
    case ["uncached-write", var path, var kind, var keep]:
        Console.WriteLine(await Uncached.WriteAsync(path, WriterKind.Of(kind), bool.Parse(keep)));
        return 0;
    case ["every-way", var folder]:
        Console.WriteLine(await EveryWay.RunAsync(folder));
        return 0;
    case ["forget", var folder, var kind, var pooled]:
        Console.WriteLine(await Forgetting.RunAsync(folder, kind, bool.Parse(pooled)));
        return 0;
    case ["random-calls", var folder, var seed]:
        await new RandomCalls(folder, int.Parse(seed, CultureInfo.InvariantCulture)).RunAsync();
        return 0;
    case ["publish", var folder, var mode, var strategy, var first]:
        await Publishing.RunAsync(folder, mode, strategy, first);
        return 0;
    case ["write-too-much", var path]:
        Console.WriteLine(await Overflowing.RunAsync(path));
        return 0;
    case ["append", var path, var writers, var seed]:
        await KilledAppending.RunAsync(
            path, int.Parse(writers, CultureInfo.InvariantCulture), int.Parse(seed, CultureInfo.InvariantCulture));
        return 0;
    case ["append-limited", var path, var portable, var durability]:
        await LimitedAppending.RunAsync(path, bool.Parse(portable), Enum.Parse<Millrace.Durability>(durability));
        return 0;
    default:
        await Console.Error.WriteLineAsync($"Not a command: {string.Join(' ', args)}");
        return 2;
}
